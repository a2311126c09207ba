import { type Check, type Finding, missing } from './doctor/check.ts';
import { checks as allChecks } from './doctor/checks.ts';
import { configFlag, loadStack } from './load-stack.ts';
import { exitCodes, listFlag, type Verb } from './verb.ts';

/** `webwright doctor`: whether what the configuration needs is there. */
export const doctor = createDoctor(allChecks);

/** A doctor with the given checks. */
export function createDoctor(checks: readonly Check[]): Verb {
  return {
    summary: 'checks that what the configuration needs is there: model key, browser (by launching it), shell, sandbox, data',
    usage: '[-c SPEC]… [--json]',
    details: [
      '-c SPEC   the configuration to check for, as in webwright config',
      '--json    {ok, checks: [{name, status, detail, remedy}]}',
      'Exit code 0 when nothing that is needed is missing, else 1.',
    ],
    flags: { ...configFlag, json: { type: 'boolean' } },
    positionals: { min: 0, max: 0 },
    async run({ flags, io }) {
      const { config } = loadStack({ specs: listFlag(flags['config']), io });
      const findings: (Finding & { name: string })[] = [];
      for (const { name, check } of checks) {
        const finding = await check({ config, io }).catch((error: Error) =>
          missing(`could not be checked: ${error.message}`, 'please report this'),
        );
        findings.push({ name, ...finding });
      }
      const healthy = findings.every(({ status }) => status !== 'missing');
      if (flags['json']) {
        io.print(JSON.stringify({ ok: healthy, checks: findings }, null, 2));
      } else {
        for (const finding of findings) for (const line of linesOf(finding)) io.print(line);
        io.print(healthy ? 'Nothing that is needed is missing.' : 'Something that is needed is missing.');
      }
      return healthy ? exitCodes.ok : exitCodes.failed;
    },
  };
}

const marks = { ok: 'ok', missing: 'MISSING', optional: 'not there' };

function linesOf({ name, status, detail, remedy }: Finding & { name: string }): string[] {
  return [`${marks[status].padEnd(9)}  ${name}: ${detail}`, ...(remedy ? [`           try: ${remedy}`] : [])];
}
