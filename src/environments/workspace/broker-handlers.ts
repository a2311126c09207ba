import type { BrokerHandler } from './broker.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { RunRecords } from './run-records.ts';

/** Per command: contexts that `open()` makes, and screenshots; what the harness keeps must not grow without end. */
const most = { pages: 20, shots: 200 };

/** What scripts may ask of the harness about the browser; the door `playwright-webwright/script` is the client. */
export function browserHandlers({
  sessions,
  records,
  scriptProblem,
  step,
}: {
  sessions: BrowserSessions;
  records: RunRecords;
  scriptProblem: (text: string) => Promise<string | null>;
  /** The step that is being executed. */
  step: () => number;
}): Record<string, BrokerHandler> {
  const count = { step: 0, pages: 0, shots: 0 };
  const bound = (what: 'pages' | 'shots') => {
    if (count.step !== step()) Object.assign(count, { step: step(), pages: 0, shots: 0 });
    count[what] += 1;
    if (count[what] > most[what]) throw new Error(`one command may have ${most[what]} ${what}, not more`);
  };
  /** A run acts on the site, and what it does may be done only once: what would refuse it for certain is said before it begins. */
  const begin = async (run: number) => {
    const script = records.opened({ run, step: step() });
    const problem = script === null ? null : await scriptProblem(script);
    if (problem) throw new Error(problem);
  };
  return {
    /** A page in a fresh context; `run` names the run folder that the script has made. */
    async browser({ run, session }) {
      bound('pages');
      if (session !== undefined && session !== 'previous') throw new Error("session can only be 'previous'");
      const number = run === undefined || run === null ? undefined : numberOf(run);
      if (number !== undefined) await begin(number);
      const opened = await sessions.open({ ...(number !== undefined && { run: number }), goOn: session === 'previous' });
      return { ...opened, step: step() };
    },
    /** A script that launches its own browser begins a run. */
    async run({ run }) {
      await begin(numberOf(run));
      return { step: step() };
    },
    /** The harness's own screenshot of a page, as evidence and as a file for the script. */
    async shot({ page, name, run, file }) {
      if (typeof page !== 'string' || typeof name !== 'string') throw new Error('shot needs a page and a name');
      bound('shots');
      const { item, bytes } = await sessions.shot({ page, step: step(), label: name.slice(0, 200) });
      const ofRun = typeof run === 'number' ? run : undefined;
      records.captured({ step: step(), run: ofRun, evidenceIds: [item.id] });
      if (ofRun !== undefined && typeof file === 'string') records.shot({ run: ofRun, file, sha256: item.image.sha256 });
      return { id: item.id, sha256: item.image.sha256, png: bytes.toString('base64') };
    },
  };
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) throw new Error('run must be a whole number from 1');
  return value;
}
