import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type Environment, EnvironmentFault, type Observation } from '../../core/environment.ts';
import { oneLine } from '../clean-text.ts';
import { egressText } from '../egress-text.ts';
import { createAttemptPages } from '../page/attempt-pages.ts';
import { abortedObservation, type PageEnvironmentOptions } from '../page/options.ts';
import { parseActions } from './language.ts';
import { type Look, lookAt } from './look.ts';
import { assembleObservation } from './observation.ts';
import { runLines } from './run-lines.ts';
import { type TrailEntry, trailText } from './trail.ts';

/** Limits of the text route. */
export interface TextLimits {
  /** All lines of one turn together. */
  stepTimeoutMs: number;
  /** One line. */
  actionTimeoutMs: number;
  /** Characters that one `read` shows. */
  outputChars: number;
  /** Characters of the list of elements. */
  observationChars: number;
}

export const defaultTextLimits: TextLimits = { stepTimeoutMs: 30_000, actionTimeoutMs: 5_000, outputChars: 8_000, observationChars: 8_000 };

export interface TextEnvironmentOptions extends PageEnvironmentOptions {
  limits?: Partial<TextLimits>;
}

/**
 * The text route: the model sees numbered elements and answers in a language of nine verbs ({@link parseActions}), which the
 * harness itself carries out on the runner's own page. Nothing that the model writes is code. A number stands for the very element
 * that was seen, for one turn.
 *
 * @example
 * const environment = createTextEnvironment({ browser, context, page, evidence, folder, task });
 * const seen = await environment.prepare(task); // seen.fields.elements: '[1] textbox "Search" = ""\n[2] button "Go"'
 * await environment.execute({ code: 'type 1 "kettle"\nclick 2', step: 1, signal });
 * await environment.close(); // trail.txt in the run folder
 */
export function createTextEnvironment(options: TextEnvironmentOptions): Environment {
  const { browser, context, page: ownPage, evidence, folder, task, redact = text => text, note = () => {} } = options;
  const limits = { ...defaultTextLimits, ...options.limits };
  const pages = createAttemptPages({ context, page: ownPage, evidence });
  const { tabs, events, downloads } = pages;
  const trail: TrailEntry[] = [];
  let steps = 0;
  let look: Look | null = null;
  /** Tab N of the newest observation is `shownTabs[N - 1]`. */
  let shownTabs: Page[] = [];
  let closed = false;

  const parse = (code: string) => parseActions({ code, elements: look?.elements.length ?? 0, tabs: shownTabs.length });
  const see = async () =>
    lookAt({ page: (await tabs.current()).page, listChars: limits.observationChars, textChars: limits.outputChars }).catch(error => {
      note(`no look at the page: ${oneLine((error as Error).message, 200)}`);
      return null;
    });

  const observe = async ({
    step,
    problem = '',
    output = '',
  }: {
    step: number;
    problem?: string;
    output?: string;
  }): Promise<Observation> => {
    let tab = await pages.settledTab();
    look?.release();
    look = await see();
    if (!look) {
      tab = await pages.recoveredTab();
      look = await see();
    }
    for (const refusal of options.egress?.takeRefusals() ?? []) events.add('harness', refusal);
    const item = await pages.capture({ tab, step });
    shownTabs = tabs.list().map(each => each.page);
    return assembleObservation({
      look,
      tab,
      tabs: tabs.list(),
      problem,
      output,
      events: events.drain(),
      downloads: downloads.takeNew(),
      screenshot: item?.image,
      redact,
    });
  };

  const readMainText = async () => {
    const seen = await see();
    seen?.release();
    if (!seen) return '(the page does not answer)';
    return seen.text.length < limits.outputChars ? seen.text : `${seen.text}\n(cut after ${limits.outputChars} characters)`;
  };

  return {
    kind: 'text',
    actionField: 'dsl',
    async prepare() {
      await pages.openStartUrls({ urls: task.startUrls, timeoutMs: limits.stepTimeoutMs, handOver: options.handOver });
      return observe({ step: 0 });
    },
    async syntaxError(code) {
      const parsed = parse(code);
      return parsed.ok ? null : parsed.error;
    },
    async execute({ code, step, signal }) {
      if (!browser.isConnected()) throw new EnvironmentFault('the browser is gone');
      steps = step;
      const parsed = parse(code);
      if (!parsed.ok) return observe({ step, problem: parsed.error });
      pages.beginStep();
      const stopped = new AbortController();
      const aborted = new Promise<null>(resolve => {
        if (signal.aborted) resolve(null);
        signal.addEventListener('abort', () => resolve(null), { once: true, signal: stopped.signal });
      });
      const run = runLines({
        lines: parsed.lines,
        step,
        signal,
        tabs,
        elements: look?.elements ?? [],
        shownTabs,
        limits,
        readMainText,
        onLine: entry => trail.push(entry),
      });
      const done = await Promise.race([run, aborted]).finally(() => stopped.abort());
      if (!done) return abortedObservation({ elements: '', scroll: '', text: '' });
      const newest = (await pages.openedTabs()).at(-1);
      if (newest && !parsed.lines.some(({ verb }) => verb === 'tab')) {
        tabs.select(newest);
        events.add('tab', 'a new tab opened and is the current one now');
      }
      return observe({ step, ...done });
    },
    async completion() {
      const found = pages.stepImages();
      return 'refusal' in found ? found : { material: { ...found, downloads: await downloads.settled(), log: redact(trailText(trail)) } };
    },
    freshLook: () => pages.freshLook(steps),
    finalState: () => pages.finalState(steps),
    async checkpoint() {
      return { url: redact((await tabs.current()).page.url()) };
    },
    templateVars: () => ({}),
    serialize: () => ({
      kind: 'text',
      limits,
      egress: egressText({ egress: options.egress, rest: 'none' }),
      sandbox: 'none needed: no code of the model runs',
      integrity: 'strong',
      steps,
      browser: browser.version(),
    }),
    async close() {
      if (closed) return;
      closed = true;
      look?.release();
      pages.dispose();
      writeFileSync(join(folder.path, 'trail.txt'), redact(`${trailText(trail)}\n`));
    },
  };
}
