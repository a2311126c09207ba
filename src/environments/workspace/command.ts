import { parseArgs } from 'node:util';
import { askBroker } from './ask-broker.ts';

/**
 * `webwright` as it is found inside a workspace: a thin client that asks the harness and prints what it says. Prompts, points, thresholds,
 * model and keys are the harness's.
 */
const usage = `webwright self-reflection [--run N]                       judge the newest final run, or run N; exit code 0 only for predicted_label 1
webwright image-qa --image FILE … --question TEXT         ask about images of the workspace`;

process.exitCode = await ask(process.env.BROWSER_ENDPOINT ?? '', process.argv.slice(2));

async function ask(broker: string, [verb = '', ...args]: string[]): Promise<number> {
  try {
    const body = verb === 'self-reflection' ? reflection(args) : verb === 'image-qa' ? question(args) : undefined;
    if (!body) return finish({ exitCode: 2, stderr: usage });
    return finish(await askBroker({ socket: broker, name: verb, body }));
  } catch (error) {
    return finish({
      exitCode: (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') ? 2 : 1,
      stderr: (error as Error).message,
    });
  }
}

/** Webwright's own flags are accepted and have no effect; the harness notes them. */
function reflection(args: string[]): Record<string, unknown> {
  const { values } = parseArgs({
    args,
    options: {
      run: { type: 'string' },
      config: { type: 'string' },
      'workspace-dir': { type: 'string' },
      output: { type: 'string' },
      'auto-latest-run': { type: 'string' },
      'model-config': { type: 'string' },
    },
  });
  const { run, ...ignored } = values;
  const flags = Object.keys(ignored).map(flag => `--${flag}`);
  if (flags.length > 0) process.stderr.write(`${flags.join(', ')}: without effect here\n`);
  return { ...(run !== undefined && { run: Number(run) }), ignored: flags.join(' ') };
}

function question(args: string[]): Record<string, unknown> {
  const { values } = parseArgs({
    args,
    options: {
      image: { type: 'string', multiple: true },
      question: { type: 'string' },
      'workspace-dir': { type: 'string' },
      'model-config': { type: 'string' },
    },
  });
  return { images: values.image ?? [], question: values.question ?? '' };
}

function finish({ exitCode, stdout, stderr }: Record<string, unknown>): number {
  if (typeof stderr === 'string' && stderr) process.stderr.write(`${stderr}\n`);
  if (typeof stdout === 'string' && stdout) process.stdout.write(`${stdout}\n`);
  return Number(exitCode ?? 1);
}
