import type { Observation } from '../../core/environment.ts';
import type { Redact } from '../../core/redact.ts';
import { cleanBytes, headAndTail } from '../../sandbox/clean-text.ts';
import type { CommandResult } from '../../sandbox/run-command.ts';
import { exceptionOf, returncodeOf } from './command-outcome.ts';
import type { WorkspaceLayout } from './layout.ts';
import { type ListedFile, newestImages } from './listing.ts';
import type { WorkspaceLimits } from './options.ts';
import { readRegularFile } from './read-regular-file.ts';
import { finalScriptName, imageName } from './run-names.ts';
import { writeInside } from './write-inside.ts';

const previewChars = 4_000;
const listedFiles = 40;
const listedImages = 10;

/** Fields of every observation of a workspace; templates rely on all of them being there. */
export interface WorkspaceFields extends Record<string, unknown> {
  status: 'ok' | 'error';
  workspace: string;
  cwd: string;
  /** As a shell tells it; null when the harness ended the command, or none ran. */
  returncode: number | null;
  exception: string;
  /** Stdout and stderr in order, cleaned, redacted, head and tail. */
  output: string;
  /** Size of the whole output. */
  output_bytes: number;
  /** The whole output (up to 10 MB), relative to the workspace; empty when there was none. */
  log_path: string;
  /** What else the harness did or noticed; empty when nothing. */
  notice: string;
  /** Files the command made or changed, newest first, at most 40. */
  files_changed: string[];
  files_changed_omitted: number;
  /** The newest images of the workspace, newest first, at most 10. */
  screenshots: string[];
  /** What became of a run of the final script in this step: complete, or what is missing. Empty when there was no run. */
  final_run: string;
  /** Empty while there is no final script. */
  final_script_path: string;
  /** Its text, when it changed in this step. */
  final_script_preview: string;
}

/** The fields of an observation in which nothing ran. */
export function idleFields({ layout, exception = '' }: { layout: WorkspaceLayout; exception?: string }): WorkspaceFields {
  return {
    status: exception ? 'error' : 'ok',
    workspace: layout.folder,
    cwd: layout.folder,
    returncode: null,
    exception,
    output: '',
    output_bytes: 0,
    log_path: '',
    notice: '',
    files_changed: [],
    files_changed_omitted: 0,
    screenshots: [],
    final_run: '',
    final_script_path: '',
    final_script_preview: '',
  };
}

/** What the model gets to see of a command that has ended. Writes the command's log. */
export function observeCommand({
  layout,
  limits,
  redact,
  step,
  result,
  changed,
  files,
  notices,
  finalRun,
}: {
  layout: WorkspaceLayout;
  limits: WorkspaceLimits;
  redact: Redact;
  step: number;
  result: CommandResult;
  changed: ListedFile[];
  /** All files there are now. */
  files: ListedFile[];
  notices: string[];
  finalRun: string;
}): Observation {
  const said = [...notices];
  if (result.stragglers > 0)
    said.push(`${result.stragglers} process(es) that the command had left running were ended: nothing outlives a command`);
  const text = redact(textOf(result));
  const logPath = text === '' ? '' : writeLog({ layout, step, text, said });
  const returncode = returncodeOf(result);
  const exception = exceptionOf(result, limits);
  const success = returncode === 0 && exception === '';
  const written = changed.filter(file => !imageName.test(file.path));
  const names = (listed: ListedFile[]) => listed.map(file => redact(shownName(file.path)));
  const fields: WorkspaceFields = {
    ...idleFields({ layout, exception }),
    status: success ? 'ok' : 'error',
    returncode,
    output: headAndTail({
      text,
      maxChars: limits.outputChars,
      note: omitted => `[… ${omitted} characters left out; all ${result.output.totalBytes} bytes: ${logPath || 'not kept'} …]`,
    }),
    output_bytes: result.output.totalBytes,
    log_path: logPath,
    notice: said.join('\n'),
    // By name: the order of times differs from run to run. Images have a list of their own.
    files_changed: names(written.slice(0, listedFiles)).toSorted(),
    files_changed_omitted: Math.max(0, written.length - listedFiles),
    screenshots: names(newestImages({ files, count: listedImages })),
    final_run: redact(finalRun),
    ...finalScript({ layout, redact, changed: changed.some(file => file.path === finalScriptName) }),
  };
  return { success, exception, fields };
}

function textOf({ output: { head, tail, omittedBytes } }: CommandResult): string {
  if (omittedBytes === 0) return cleanBytes(Buffer.concat([head, tail]));
  return `${cleanBytes(head)}\n[… ${omittedBytes} bytes left out …]\n${cleanBytes(tail)}`;
}

function writeLog({ layout, step, text, said }: { layout: WorkspaceLayout; step: number; text: string; said: string[] }): string {
  const relative = `logs/step_${String(step).padStart(4, '0')}.log`;
  try {
    writeInside({ workspace: layout.folder, relative, text });
    return relative;
  } catch (error) {
    said.push(`the log could not be written: ${(error as Error).message}`);
    return '';
  }
}

function finalScript({ layout, redact, changed }: { layout: WorkspaceLayout; redact: Redact; changed: boolean }) {
  const script = readRegularFile({ path: layout.finalScript, maxBytes: 1_000_000 });
  const text = script.ok && changed ? redact(cleanBytes(script.bytes)) : '';
  return {
    final_script_path: script.ok ? layout.finalScript : '',
    final_script_preview: headAndTail({ text, maxChars: previewChars, note: omitted => `[… ${omitted} characters left out …]` }),
  };
}

function shownName(name: string): string {
  return cleanBytes(Buffer.from(name)).replaceAll('\n', '?').slice(0, 300);
}
