import type { Page } from '@playwright/test';
import { oneLine } from '../clean-text.ts';
import { withinOr } from '../deadline.ts';
import type { Tabs } from '../page/tabs.ts';
import type { ParsedLine } from './language.ts';
import type { BoundElement } from './look.ts';
import { type Performed, perform } from './perform.ts';
import type { TrailEntry } from './trail.ts';

export interface LinesOptions {
  lines: ParsedLine[];
  step: number;
  signal: AbortSignal;
  tabs: Tabs;
  /** Number N of the newest observation is `elements[N - 1]`, tab N is `shownTabs[N - 1]`. */
  elements: readonly BoundElement[];
  shownTabs: readonly Page[];
  limits: { stepTimeoutMs: number; actionTimeoutMs: number };
  readMainText: () => Promise<string>;
  /** Told about each line that was carried out or failed. */
  onLine: (entry: TrailEntry) => void;
}

/** Line after line, up to the first that fails; `problem` is empty when none did. */
export async function runLines({ lines, step, signal, tabs, elements, shownTabs, limits, readMainText, onLine }: LinesOptions): Promise<{
  problem: string;
  output: string;
}> {
  const outputs: string[] = [];
  const untilMs = performance.now() + limits.stepTimeoutMs;
  const runLine = async ({
    action,
    page,
    target,
  }: {
    action: ParsedLine;
    page: Page;
    target: BoundElement | undefined;
  }): Promise<Performed> => {
    const timeoutMs = Math.min(limits.actionTimeoutMs, untilMs - performance.now());
    if (timeoutMs < 500) return { problem: `the turn took longer than ${limits.stepTimeoutMs / 1000} s` };
    if (action.verb === 'tab') return changeTab({ number: action.tab, page: shownTabs[action.tab - 1], tabs });
    return perform({ action, page, target, timeoutMs, readMainText });
  };
  for (const [index, action] of lines.entries()) {
    if (signal.aborted) break;
    const { page } = await tabs.current();
    const target = 'element' in action ? elements[action.element - 1] : undefined;
    const entry: TrailEntry = { step, url: page.url(), line: action.line, ...(target ? { label: target.label } : {}) };
    const { problem, output } = await runLine({ action, page, target });
    onLine(problem ? { ...entry, problem } : entry);
    if (output) outputs.push(output);
    if (!problem) continue;
    const left = lines.length - index - 1;
    const skipped = left === 0 ? '' : ` The ${left === 1 ? 'line' : `${left} lines`} after it did not run.`;
    return { problem: `line ${index + 1} (${oneLine(action.line, 80)}): ${problem}${skipped}`, output: outputs.join('\n') };
  }
  return { problem: '', output: outputs.join('\n') };
}

async function changeTab({ number, page, tabs }: { number: number; page: Page | undefined; tabs: Tabs }): Promise<Performed> {
  if (!page || page.isClosed()) return { problem: `TabVanished: tab ${number} was closed since it got its number` };
  tabs.select(page);
  await withinOr({ promise: page.bringToFront(), timeoutMs: 2_000, otherwise: undefined });
  return {};
}
