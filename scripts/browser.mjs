import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { playwright, root, run } from './process.mjs';

const isDebianRoot = process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
const failedDownload = join(root, 'node_modules/.webwright-no-download');

/**
 * Sees to it that a Chromium starts on this machine. Order: Playwright's own; `playwright install chromium`; a system Chrome or
 * Chromium; on Debian and Ubuntu as root `apt-get install chromium`. Needs the build. Returns undefined, or what to tell the user.
 */
export async function browserReady({ say }) {
  let found = await startable();
  // A download that failed is not tried again at every start while there is another browser: nothing here may need a network.
  if (found && (found.source === 'playwright' || existsSync(failedDownload))) return undefined;

  say('installing Chromium (npx playwright install chromium)');
  const env = { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '15000' };
  const downloaded = (await playwright(['install', 'chromium'], { output: 'none', silenceMs: 60_000, env })) === 0;
  if (!downloaded) writeFileSync(failedDownload, 'Delete this file to have Chromium downloaded at the next start.\n');
  if (downloaded && isDebianRoot && !(await startable()))
    await playwright(['install-deps', 'chromium'], { output: 'on-failure', silenceMs: 300_000 });
  found = await startable();

  if (!found && isDebianRoot) {
    say('installing Chromium (apt-get install chromium)');
    await apt(['update', '-qq']);
    // Without a font, pages and the screenshots that judges see have no text.
    await apt(['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-liberation']);
    // Starts in less than half the time; not every release has it.
    // Without a font, pages and the screenshots that judges see have no text.
    await apt(['install', '-y', '-qq', '--no-install-recommends', 'chromium-headless-shell']);
    found = await startable();
  }
  if (!found)
    return 'no Chromium starts on this machine. Type: npx playwright install --with-deps chromium (or install Google Chrome or Chromium)';
  if (!downloaded) say(`Chromium could not be downloaded; using ${found.executablePath}`);
  return undefined;
}

/** The Chromium that the product will use, if it is there and starts, which without its system libraries it does not. */
async function startable() {
  const { findChromium } = await import('../dist/src/config/browser.js');
  const found = findChromium();
  // On Windows a browser asked for its version opens a window instead.
  if (!found || process.platform === 'win32') return found;
  return (await run(found.executablePath, ['--version'], { output: 'none', silenceMs: 20_000 })) === 0 ? found : null;
}

function apt(args) {
  return run('apt-get', args, { output: 'on-failure', silenceMs: 300_000, env: { DEBIAN_FRONTEND: 'noninteractive' } });
}
