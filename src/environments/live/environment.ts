import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { type Environment, EnvironmentFault, type Observation } from '../../core/environment.ts';
import { integrityOf } from '../../sandbox/box/box.ts';
import type { Guard } from '../../sandbox/guard/guard.ts';
import { hiddenTabGuids } from '../browser/own-tabs.ts';
import { oneLine } from '../clean-text.ts';
import { withinOr } from '../deadline.ts';
import { egressText } from '../egress-text.ts';
import { openGuardedEndpoint } from '../guarded-endpoint.ts';
import { writeInputs } from '../inputs.ts';
import { createAttemptPages } from '../page/attempt-pages.ts';
import { abortedObservation } from '../page/options.ts';
import { recoverPage } from '../page/recover.ts';
import { inTraceGroup } from '../page/trace-group.ts';
import { quietly } from '../quietly.ts';
import type { RunEnd } from './child.ts';
import { compileStep } from './compile.ts';
import { createImageQuestions } from './image-questions.ts';
import { listenToChild } from './listen-to-child.ts';
import { type LiveBox, openLiveBox } from './live-box.ts';
import { reportMemory } from './memory.ts';
import { assembleObservation, exceptionText } from './observation.ts';
import { createViewer } from './observe.ts';
import { defaultLiveLimits, type LiveEnvironmentOptions } from './options.ts';
import { createRunner, type Runner } from './runner.ts';
import { actionLog, type ScriptStep, writeScripts } from './script.ts';
import { createStepMemory } from './step-memory.ts';

/** Time for the browser's server to notice that the process of the code is gone. */
const clientGoneMs = 500;

/**
 * The live environment: the model's `playwright_code` acts on the runner's own page from a child process, and everything
 * that is seen is seen by the harness.
 *
 * @example
 * const environment = createLiveEnvironment({ browser, context, page, evidence, folder, task });
 * await environment.prepare(task);
 * const seen = await environment.execute({ code: "await page.getByRole('link', { name: 'Kettles' }).click()", step: 1, signal });
 * await environment.close();
 */
export function createLiveEnvironment(options: LiveEnvironmentOptions): Environment {
  const {
    browser,
    context,
    page: ownPage,
    evidence,
    folder,
    task,
    redact = text => text,
    note = () => {},
    inputs = [],
    allow = [],
    nodePath = process.execPath,
  } = options;
  const limits = { ...defaultLiveLimits, ...options.limits };
  let runner: Runner | undefined;
  const pages = createAttemptPages({ context, page: ownPage, evidence, send: message => runner?.send(message) });
  const { tabs, events, downloads, dialogs } = pages;
  const viewer = createViewer({ mode: options.ariaMode ?? 'folded', chars: limits.observationChars });
  const steps: ScriptStep[] = [];
  const memory = createStepMemory();
  const contextsBefore = new Set(browser.contexts());
  const taskInScope = { id: task.id, instruction: task.instruction, startUrls: task.startUrls };
  const startUrls = task.startUrls.length === 0 && /^https?:/.test(ownPage.url()) ? [ownPage.url()] : task.startUrls;
  let onLineBefore = true;
  let closed = false;
  let guard: Guard | undefined;
  let box: LiveBox | undefined;
  // Contexts that the code opens for one step.
  browser.on('context', dialogs.watch);

  const observe = async ({ step, end }: { step: number; end?: RunEnd }): Promise<Observation> => {
    if (!browser.isConnected()) throw new EnvironmentFault('the browser is gone');
    let tab = await pages.settledTab();
    // The picture is made while the page is read: both take a moment in different processes of the browser.
    let [view, item] = await Promise.all([viewer.view({ tab, step }), pages.capture({ tab, step }), reportMemory({ tab, events })]);
    if (view.lost || tab.crashed) {
      tab = await pages.recoveredTab();
      [view, item] = await Promise.all([viewer.view({ tab, step }), pages.capture({ tab, step })]);
    }
    if (!view.online && onLineBefore) {
      await withinOr({ promise: context.setOffline(false), timeoutMs: 2_000, otherwise: undefined });
      events.add('harness', 'The context was offline; it is online again: that lasts one step.');
    }
    if (step === 0) onLineBefore = view.online;
    for (const fact of [...view.facts, ...(options.egress?.takeRefusals() ?? [])]) events.add('harness', fact);
    return assembleObservation({
      tab,
      tabs: tabs.list(),
      view,
      end,
      limits,
      events: events.drain(),
      downloads: downloads.takeNew(),
      screenshot: item?.image,
      redact,
    });
  };

  const afterStep = async (end: RunEnd) => {
    const chosen = end.pageGuid ? tabs.find(end.pageGuid) : undefined;
    const opened = await pages.openedTabs();
    if (chosen) tabs.select(chosen.page);
    else if (opened.length > 0 && opened.length <= 3) {
      const newest = opened.at(-1) as Page;
      tabs.select(newest);
      events.add('tab', `a new tab opened and is \`page\` now; the one before: page = context.pages()[${indexOf(context, ownPage)}]`);
    }
    for (const extra of browser.contexts().filter(each => !contextsBefore.has(each))) {
      await withinOr({ promise: extra.close(), timeoutMs: 2_000, otherwise: undefined });
      events.add('harness', 'A context that the code opened was closed: contexts last one step.');
    }
    if (!['returned', 'threw'].includes(end.how)) {
      dialogs.childGone();
      await recoverPage({ tabs, context, events });
    }
  };

  const pictures = createImageQuestions({ tab: () => tabs.current(), step: () => steps.length + 1, evidence });

  return {
    kind: 'live',
    actionField: 'playwright_code',
    async prepare() {
      guard = await openGuardedEndpoint({
        browser,
        profile: { kind: 'live', allow, contexts: [guidOf(context)], keptPages: [guidOf(ownPage)] },
        note,
        onEnded: reason => events.add('harness', reason),
      });
      box = await openLiveBox({
        wanted: options.sandbox ?? { use: null, require: null },
        endpoint: guard,
        nodePath,
        memoryMb: limits.memoryMb,
      });
      for (const { rung, cause, remedy } of box.rejected) note(`sandbox: no ${rung}: ${cause} (${remedy})`);
      note(`sandbox: ${box.description}`);
      runner = createRunner({
        child: { nodePath, box, memoryMb: limits.memoryMb, outputChars: limits.outputChars },
        attach: {
          endpoint: guard.address,
          contextGuid: guidOf(context),
          ownPageGuid: guidOf(ownPage),
          hiddenPageGuids: hiddenTabGuids(context),
          task: taskInScope,
          actionTimeoutMs: Math.min(10_000, Math.ceil(limits.stepTimeoutMs / 3)),
          navigationTimeoutMs: Math.max(1_000, Math.ceil(limits.stepTimeoutMs * 0.8)),
        },
        onMessage: listenToChild({ send: message => runner?.send(message), events, dialogs, downloads, memory, pictures, inputs }),
      });
      if (inputs.length > 0) writeInputs({ folder: join(folder.path, 'inputs'), inputs });
      await pages.openStartUrls({ urls: task.startUrls, timeoutMs: limits.stepTimeoutMs, handOver: options.handOver });
      await runner.ready();
      return observe({ step: 0 });
    },
    async syntaxError(code) {
      const compiled = compileStep({ code, step: 0 });
      return compiled.ok ? null : compiled.error;
    },
    async execute({ code, step, signal }) {
      if (!runner) throw new EnvironmentFault('prepare() was not called');
      if (!browser.isConnected()) throw new EnvironmentFault('the browser is gone');
      const before = (await tabs.current()).page;
      const end = await inTraceGroup({ context, title: `step ${step}`, action: () => runStep({ code, step, signal }) });
      if (end.how === 'aborted') return abortedObservation({ return_value: '', aria: '', aria_mode: 'off' });
      await quietly(ownPage, () => afterStep(end));
      const now = (await tabs.current()).page;
      const exception = exceptionText({ end, limits });
      steps.push({
        step,
        code,
        success: exception === '',
        error: oneLine(exception, 200),
        returned: redact(oneLine(end.value || end.output, 500)),
        ...(now === before ? {} : { tab: indexOf(context, now) }),
      });
      const observation = await quietly(ownPage, () => observe({ step, end }));
      memory.keep(step, observation);
      return observation;
    },
    async completion() {
      const found = pages.stepImages();
      if ('refusal' in found) return found;
      const openTabs = tabs.list().map(({ page }) => page.url());
      return {
        material: {
          ...found,
          downloads: await downloads.settled(),
          openTabs,
          log: actionLog(steps),
        },
      };
    },
    async freshLook() {
      // What the code left running could reach into the new pages too.
      await runner?.stop();
      dialogs.childGone();
      // The browser's server drops routes and init scripts of a client when it notices its end, which it tells nobody.
      await new Promise(resolve => setTimeout(resolve, clientGoneMs));
      return pages.freshLook(steps.length);
    },
    finalState: () => pages.finalState(steps.length),
    attachJudges: pictures.attach,
    reread: step => `await recall(${step})`,
    checkpoint: async () => ({ url: (await tabs.current()).page.url(), tabs: tabs.list().map(({ page }) => page.url()) }),
    templateVars: () => ({
      viewport: ownPage.viewportSize() ?? { width: 0, height: 0 },
      step_timeout_seconds: limits.stepTimeoutMs / 1000,
      output_chars: limits.outputChars,
    }),
    serialize: () => ({
      kind: 'live',
      limits,
      sandbox: box?.description ?? 'unknown',
      allow,
      refusals: guard?.refusals() ?? [],
      rung: box?.box.rung ?? null,
      egress: egressText({ egress: options.egress, rest: box?.box.rung === 'bwrap' ? 'held' : 'open' }),
      integrity: box && integrityOf(box.box.rung),
      steps: steps.length,
      browser: browser.version(),
    }),
    async close() {
      if (closed) return;
      closed = true;
      await runner?.close();
      box?.close();
      browser.off('context', dialogs.watch);
      pages.dispose();
      await guard?.close();
      writeScripts({
        folder: folder.path,
        redact,
        attempt: {
          taskId: task.id,
          task: taskInScope,
          startUrls,
          viewport: ownPage.viewportSize(),
          baseUrl: (context as unknown as { _options?: { baseURL?: string } })._options?.baseURL,
          steps,
        },
      });
    },
  };

  async function runStep({ code, step, signal }: { code: string; step: number; signal: AbortSignal }): Promise<RunEnd> {
    pages.beginStep();
    guard?.beginStep();
    if (code.trim() === '') return { how: 'returned', output: '', error: '' };
    const compiled = compileStep({ code, step });
    if (!compiled.ok) return { how: 'threw', output: '', error: compiled.error };
    const id = randomBytes(9).toString('base64url');
    const end = await (runner as Runner).run({
      id,
      js: compiled.js,
      step,
      pageGuid: guidOf((await tabs.current()).page),
      timeoutMs: limits.stepTimeoutMs,
      signal,
    });
    if (end.how !== 'returned' && end.how !== 'threw') note(`runner child ended: ${end.how} ${end.error}`);
    return end;
  }
}

function indexOf(context: BrowserContext, page: Page): number {
  return context.pages().indexOf(page);
}

function guidOf(object: object): string {
  return (object as { _guid?: string })._guid ?? '';
}
