/** What the probe of a self-test says it could do. */
export interface ProbeReport {
  readOutside: boolean;
  wroteOutside: boolean;
  sawWorker: boolean;
  readWorker: boolean;
  reachedLoopback: boolean;
  capabilities: string;
  isRoot: boolean;
  wroteWorkspace: boolean;
  loadedModule: boolean;
  /** The programs of this package can be read. */
  sawPrograms: boolean;
  reachedDoor: boolean;
  /** Title of the page behind the guard; null when none was offered. */
  title: string | null;
}

/**
 * The program that a self-test runs inside a box. It tries for real. A process counts as the worker only when it started at the same moment: in
 * a process namespace the worker's number may belong to somebody else.
 */
export const probe = `
import { accessSync, appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';
const works = action => { try { action(); return true; } catch { return false; } };
const reaches = target => new Promise(resolve => connect(target).once('connect', () => resolve(true)).once('error', () => resolve(false)));
const { CANARY, WORKER, STARTED, MODULE, DOOR, PORT, ENDPOINT, WORKSPACE, PROGRAMS } = process.env;
const stat = id => { const text = readFileSync('/proc/' + id + '/stat', 'latin1'); return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]; };
let sawWorker = false;
try { sawWorker = stat(WORKER) === STARTED; } catch {}
works(() => process.kill(Number(WORKER), 'SIGURG'));
let core;
try { core = await import(pathToFileURL(MODULE).href); } catch {}
let title = null;
if (ENDPOINT && core) {
  try {
    const browser = await core.chromium.connect(ENDPOINT);
    const pages = browser.contexts().flatMap(context => context.pages());
    title = (await Promise.all(pages.map(page => page.title()))).join();
  } catch (error) { title = null; }
}
const report = {
  readOutside: works(() => readFileSync(CANARY)),
  wroteOutside: works(() => appendFileSync(CANARY, 'x')),
  sawWorker,
  readWorker: sawWorker && (works(() => readFileSync('/proc/' + WORKER + '/environ')) || works(() => closeSync(openSync('/proc/' + WORKER + '/mem', 'r')))),
  reachedLoopback: await reaches({ port: Number(PORT), host: '127.0.0.1' }),
  capabilities: /CapEff:\\s*(\\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1],
  isRoot: process.getuid() === 0,
  wroteWorkspace: !WORKSPACE || works(() => writeFileSync(WORKSPACE + '/written', 'x')),
  loadedModule: core !== undefined,
  sawPrograms: JSON.parse(PROGRAMS).every(path => works(() => accessSync(path))),
  reachedDoor: await reaches(DOOR),
  title,
};
process.stdout.write('REPORT ' + JSON.stringify(report) + '\\n', () => process.exit(0));
`;
