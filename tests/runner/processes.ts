import { readdirSync, readFileSync } from 'node:fs';

/** Ids of living processes of a child or command, by the marker in their environment; one that has ended and that nobody has collected has none. */
export function processesOf(marker: string): string[] {
  return readdirSync('/proc').filter(id => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/environ`, 'latin1').includes(`WEBWRIGHT_PROCESS_TREE=${marker}`);
    } catch {
      return false;
    }
  });
}
