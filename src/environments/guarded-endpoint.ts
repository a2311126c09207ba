import type { Browser } from '@playwright/test';
import { type Guard, type GuardProfile, startGuard } from '../sandbox/guard/guard.ts';
import { protocolWarning } from '../sandbox/guard/installed-protocol.ts';
import { openEndpoint } from './endpoint.ts';
import { playwrightPackages } from './playwright-packages.ts';

let warning: string | null | undefined;

/** Opens the browser for code written by a model: through a guard, whose folder is all that the code must see. `close` shuts both. */
export async function openGuardedEndpoint({
  browser,
  profile,
  folder,
  note,
  onEnded,
}: {
  browser: Browser;
  profile: GuardProfile;
  /** Where the socket is put; default: a private folder. */
  folder?: string;
  note: (text: string) => void;
  /** Told why a connection was ended; default: `note`. */
  onEnded?: (reason: string) => void;
}): Promise<Guard> {
  const endpoint = await openEndpoint({ browser });
  warning ??= protocolWarning(playwrightPackages(import.meta.url)['playwright-core']);
  if (warning) note(warning);
  const guard = await startGuard({
    target: endpoint.address,
    profile,
    note,
    ...(folder !== undefined && { folder }),
    ...(onEnded && { onEnded }),
  });
  return {
    ...guard,
    async close() {
      await guard.close();
      await endpoint.release();
    },
  };
}
