import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Folder of a browser profile: the option, else LOCAL_BROWSER_USER_DATA_DIR or BROWSER_USER_DATA_DIR (Webwright's names), else
 * `~/.cache/webwright/profile`. A leading `~` is the home folder; relative paths start at `root`.
 */
export function profileFolder({
  profile,
  root,
  env = process.env,
}: {
  profile: string;
  root: string;
  env?: Readonly<Record<string, string | undefined>>;
}): string {
  const home = env['HOME'] ?? homedir();
  const chosen =
    profile || env['LOCAL_BROWSER_USER_DATA_DIR'] || env['BROWSER_USER_DATA_DIR'] || join(home, '.cache', 'webwright', 'profile');
  return resolve(root, chosen.replace(/^~(?=$|[\\/])/, home));
}
