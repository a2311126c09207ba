import { join } from 'node:path';
import { findPackageRoot } from '../../config/package-root.ts';
import { EnvironmentFault, type JudgeDesk, type Observation } from '../../core/environment.ts';
import { bashFileArgs, bashSource, bashSyntaxError, findBash } from '../../sandbox/bash.ts';
import { type BoxPlan, integrityOf } from '../../sandbox/box/box.ts';
import { giveTo, letThrough } from '../../sandbox/box/give-to.ts';
import { proxyVariables, throughRelay } from '../../sandbox/egress/box-way-out.ts';
import { diskLimit } from '../../sandbox/folder-size.ts';
import { runCommand } from '../../sandbox/run-command.ts';
import { memoryLimit } from '../../sandbox/tree-memory.ts';
import { boxFor, readablePackages } from '../box-for.ts';
import { compiledEntry } from '../compiled-entry.ts';
import { egressText } from '../egress-text.ts';
import { writeInputs } from '../inputs.ts';
import { type Broker, startBroker } from './broker.ts';
import { browserHandlers } from './broker-handlers.ts';
import { createBrowserSessions } from './browser-sessions.ts';
import { commandEnvironment } from './command-environment.ts';
import { returncodeOf } from './command-outcome.ts';
import { completionOf } from './completion.ts';
import { findFinalRun } from './final-run.ts';
import { finalStateOf } from './final-state.ts';
import { judgeHandlers } from './judge-desk.ts';
import { linkPackages, makeFolders, ownFolders, workspaceLayout, writeTask } from './layout.ts';
import { changedFiles, digestOfListing, listFiles } from './listing.ts';
import { idleFields, observeCommand } from './observe-command.ts';
import { opensBrowser } from './opens-browser.ts';
import { type WorkspaceEnvironment, type WorkspaceOptions, workspaceLimits } from './options.ts';
import { assertWorkspaceSupported } from './platform.ts';
import { assertReachable, probeStartUrl } from './probe.ts';
import { readRegularFile } from './read-regular-file.ts';
import { restore } from './restore.ts';
import { runNumbers } from './run-names.ts';
import { createRunRecords } from './run-records.ts';
import { createVerdictFiles } from './verdict-files.ts';
import { viewport } from './viewport.ts';
import { writeInside } from './write-inside.ts';

/** This much of an output goes into its log. */
const logBytes = 10_000_000;

/**
 * The environment in which a model writes shell commands: a folder, a shell whose processes end with each command, and a browser
 * that is started when a script asks for it.
 *
 * @example
 * const environment = createWorkspaceEnvironment({ folder, task, evidence, redact, note, openBrowser: () => chromium.launch() });
 * await environment.prepare(task);
 * const { fields } = await environment.execute({ code: 'node final_script.mjs', step: 1, signal });
 * const run = await environment.finalRun();
 */
export function createWorkspaceEnvironment(options: WorkspaceOptions): WorkspaceEnvironment {
  const { folder, task, evidence, redact, note } = options;
  const limits = { ...workspaceLimits, ...options.limits };
  const browserMode = options.browserMode ?? 'local';
  const layout = workspaceLayout(folder.workspace);
  const packageRoot = findPackageRoot(import.meta.url);
  const say = (text: string) => note(redact(text));
  const sessions = createBrowserSessions({
    openBrowser: options.openBrowser,
    contextOptions: options.contextOptions ?? {},
    evidence,
    step: () => currentStep,
    persistent: options.persistent ?? false,
    doorOf: () => (broker as Broker).door,
    allow: options.allow ?? [],
    share: path => give([path]),
    note: say,
  });
  const verdicts = createVerdictFiles({ workspace: layout.folder, note: say });
  const records = createRunRecords({ workspace: layout.folder });
  let box = options.box;
  const plan: BoxPlan = {
    cwd: layout.folder,
    writable: [layout.folder],
    readable: [],
    network: options.egress ? 'none' : 'host',
    limits: { tasks: limits.tasks, fileBytes: limits.fileBytes, temporaryBytes: limits.diskBytes },
  };
  /** The way out of a box without a network: what is put before its commands. */
  let wayOut: string[] = [];
  let bash = '';
  let env: Record<string, string> = {};
  let broker: Broker | undefined;
  let desk: JudgeDesk | undefined;
  let currentStep = 0;
  let queue: Promise<unknown> = Promise.resolve();

  const give = (paths: string[]) => box && giveTo({ box, paths });
  const make = () => {
    makeFolders(layout);
    linkPackages({ layout, packageRoot, moduleUrl: import.meta.url });
    writeTask({ layout, task });
    give(ownFolders(layout));
  };
  const openWayOut = async () => {
    if (!options.egress || !broker || box?.rung !== 'bwrap') return;
    const socket = join(broker.door, 'egress.sock');
    await options.egress.listen(socket);
    give([socket]);
    wayOut = throughRelay({ bash, relay: compiledEntry({ from: import.meta.url, entry: '../../sandbox/egress/inner-relay' }), socket });
    env = { ...env, ...proxyVariables };
  };
  const newestRun = (run?: number) =>
    findFinalRun({
      workspace: layout.folder,
      records: records.all,
      evidence: evidence.items,
      downloads: evidence.downloads,
      ...(run !== undefined && { run }),
    });

  const runStep = async ({ code, step, signal }: { code: string; step: number; signal: AbortSignal }): Promise<Observation> => {
    currentStep = step;
    const notices = restore({ layout, make });
    const refused = (exception: string): Observation => ({ success: false, exception, fields: idleFields({ layout, exception }) });
    if (code.includes('\0')) return refused('the command contains a NUL character, which no shell can run');
    if (!box) throw new EnvironmentFault('prepare() was not called');
    const before = listFiles(layout.folder);
    let file: string;
    try {
      const source = bashSource(code);
      file = writeInside({ workspace: layout.folder, relative: `steps/step_${String(step).padStart(4, '0')}.sh`, text: source });
      writeInside({ workspace: layout.folder, relative: 'command_history.sh', text: `# step ${step}\n${source}\n`, append: true });
    } catch (error) {
      return refused(`the command could not be written into the workspace: ${(error as Error).message}`);
    }
    if (browserMode !== 'launch' && opensBrowser({ code, workspace: layout.folder })) sessions.warm();

    const seenBefore = evidence.items.length;
    const savedBefore = evidence.downloads.length;
    const result = await runCommand({
      command: bash,
      args: bashFileArgs({ bash, file, wrap: [...box.wrap(plan), ...wayOut], user: box.user }),
      cwd: layout.folder,
      env,
      user: box.user,
      timeoutMs: limits.commandTimeoutMs,
      outputKillBytes: limits.outputKillBytes,
      keepBytes: logBytes,
      checks: [
        memoryLimit({ bytes: limits.memoryBytes }),
        diskLimit({ folder: layout.folder, bytes: limits.diskBytes, entries: limits.diskEntries }),
      ],
      signal,
    });

    if (!signal.aborted) {
      const ends = await sessions.captureNew({ step, label: 'end' });
      records.captured({ step, run: undefined, evidenceIds: ends.map(item => item.id) });
    }
    await sessions.endOfCommand();
    records.captured({ step, run: undefined, evidenceIds: evidence.downloads.slice(savedBefore).map(({ id }) => id) });
    const files = listFiles(layout.folder);
    const changed = changedFiles({ before, after: files });
    records.commandEnded({ step, returncode: returncodeOf(result), changed: changed.map(item => item.path) });
    notices.push(...verdicts.check(changed.map(item => item.path)));
    notices.push(...(options.egress?.takeRefusals() ?? []));
    // The relay of the box is ours, and ends with it.
    const stragglers = Math.max(0, result.stragglers - (wayOut.length > 0 ? 1 : 0));
    const observation = observeCommand({
      layout,
      limits,
      redact,
      step,
      result: { ...result, stragglers },
      changed,
      files,
      notices,
      finalRun: describeRun(step),
    });
    const screenshot = evidence.items.slice(seenBefore).at(-1)?.image;
    return screenshot ? { ...observation, screenshot } : observation;
  };

  const describeRun = (step: number): string => {
    const run = records.runsOf(step).at(-1);
    if (run === undefined) return '';
    const found = newestRun(run);
    return found.ok
      ? `final_runs/run_${run} is complete: exit code 0, ${found.screenshots.length} screenshot(s), Final Response present`
      : found.refusal;
  };

  return {
    kind: 'workspace',
    actionField: 'bash_command',

    async prepare() {
      assertWorkspaceSupported(process.platform);
      bash = findBash({ searchPath: process.env.PATH ?? '' });
      broker = await startBroker({
        handlers: {
          ...judgeHandlers({ desk: () => desk, workspace: layout.folder, imageFolder: join(folder.debug, 'image-qa'), note: say }),
          ...browserHandlers({
            sessions,
            records,
            scriptProblem: async text => (await desk?.scriptProblem(text)) ?? null,
            step: () => currentStep,
          }),
        },
      });
      env = commandEnvironment({
        layout,
        socket: broker.socket,
        browserMode,
        launchOptions: options.launchOptions,
        own: options.env ?? {},
      });
      const readable = [...readablePackages({ packageRoot, moduleUrl: import.meta.url }), env.PLAYWRIGHT_BROWSERS_PATH!];
      plan.readable = [...readable, broker.door];
      if (!box) {
        const chosen = await boxFor({
          wanted: options.sandbox ?? { use: null, require: null },
          moduleUrl: import.meta.url,
          network: plan.network,
          readable,
          workspaces: folder.path,
        });
        box = chosen.box;
        for (const { rung, cause, remedy } of chosen.rejected) say(`sandbox: no ${rung}: ${cause} (${remedy})`);
      }
      say(`sandbox: ${box.describe(plan.network)}`);
      letThrough({ box, folder: broker.folder });
      give([broker.socket]);
      await openWayOut();
      make();
      if (options.inputs?.length) writeInputs({ folder: join(layout.folder, 'inputs'), inputs: options.inputs });
      await assertReachable({ urls: task.startUrls, probeUrl: options.probeUrl ?? probeStartUrl });
      return { success: true, exception: '', fields: idleFields({ layout }) };
    },
    syntaxError: code => bashSyntaxError({ bash, script: code, file: join(broker!.folder, 'check.sh') }),
    execute(action) {
      const next = queue.then(() => runStep(action));
      queue = next.catch(() => {});
      return next;
    },
    async completion({ run } = {}) {
      return completionOf({ run: newestRun(run), evidence, claimsSuffice: browserMode === 'launch' });
    },
    attachJudges(judges) {
      desk = judges;
    },
    exportVerdict(verdict) {
      verdicts.write({ verdict, run: newestRun(verdict.run) });
    },
    freshLook: () => sessions.lookAfresh({ step: currentStep }),
    async finalState() {
      const state = await finalStateOf({ sessions, evidence, step: currentStep });
      verdicts.check([]); // a process that outlived its command may have written since
      return { ...state, tampering: [...verdicts.tampering] };
    },
    finalRun: async ({ run } = {}) => newestRun(run),
    plan: async () => {
      const file = readRegularFile({ path: join(layout.folder, 'plan.md'), maxBytes: 100_000 });
      return file.ok ? file.bytes.toString('utf8') : null;
    },
    reread: step => `cat logs/step_${String(step).padStart(4, '0')}.log`,
    checkpoint: async () => ({ workspaceDigest: digestOfListing(listFiles(layout.folder)), runs: runNumbers(layout.folder) }),
    templateVars: () => ({
      start_url: task.startUrls[0] ?? '',
      start_urls: task.startUrls,
      workspace_dir: layout.folder,
      output_dir: folder.path,
      task_metadata_path: layout.taskJson,
      final_script_path: layout.finalScript,
      browser_mode: browserMode,
      viewport: options.contextOptions?.viewport ?? viewport,
      command_timeout_seconds: limits.commandTimeoutMs / 1000,
      output_chars: limits.outputChars,
    }),
    serialize: () => ({
      environment_type: 'workspace',
      workspace_dir: layout.folder,
      browser_mode: browserMode,
      sandbox: box?.describe(plan.network) ?? 'unknown',
      allow: options.allow ?? [],
      refusals: sessions.refusals(),
      rung: box?.rung ?? null,
      egress: egressText({
        egress: options.egress,
        rest: wayOut.length > 0 ? 'held' : 'open',
        browser: browserMode === 'browserbase' ? 'elsewhere' : 'held',
      }),
      integrity: box && integrityOf(box.rung),
      limits,
    }),
    async close() {
      await queue;
      await sessions.close();
      await broker?.close();
    },
  };
}
