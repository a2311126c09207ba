import { didYouMean } from '../config/did-you-mean.ts';
import { UsageError } from './parse-flags.ts';
import { exitCodes, type Io, type Verb } from './verb.ts';
import { verbs } from './verbs.ts';

/** `webwright help [verb]`. */
export const help: Verb = {
  summary: 'what the command can do',
  usage: '[verb]',
  details: [],
  flags: {},
  positionals: { min: 0, max: 1 },
  async run({ positionals: [name], io }) {
    if (name === undefined) await printOverview(io);
    else printVerb({ name, verb: await findVerb(name), io });
    return exitCodes.ok;
  },
};

/** The verb of that name. @throws UsageError with the one that was meant. */
export async function findVerb(name: string): Promise<Verb> {
  const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (load) return load();
  const near = didYouMean(name, Object.keys(verbs));
  throw new UsageError({
    what: 'Unknown verb of webwright',
    seen: name,
    remedy: near ? `did you mean webwright ${near}?` : `verbs: ${Object.keys(verbs).join(', ')}`,
  });
}

/** How one verb is used. */
export function printVerb({ name, verb, io }: { name: string; verb: Verb; io: Io }): void {
  io.print(`webwright ${name} ${verb.usage}`.trimEnd());
  io.print(`  ${verb.summary}`);
  for (const line of verb.details) io.print(`  ${line}`);
}

async function printOverview(io: Io): Promise<void> {
  io.print('webwright <verb> [flags]');
  const names = Object.keys(verbs);
  const width = Math.max(...names.map(name => name.length));
  for (const name of names) io.print(`  ${name.padEnd(width)}  ${(await findVerb(name)).summary}`);
  io.print('');
  io.print('Exit codes: 0 passed or nothing wrong, 1 not passed or something needed is missing, 2 wrong use or invalid config,');
  io.print('3 limit reached, 4 the agent gave up, 5 error of environment, model or harness, 6 no verdict, 130 interrupted.');
}
