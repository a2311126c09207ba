import type { TestCase, TestStep } from '@playwright/test/reporter';
import type { Entry } from './entries.ts';
import type { Group } from './summary.ts';
import { durationText, oneLine, outcomesText, rateText, shorten, tokensText, totalCostText } from './text.ts';

/** Title of the test step that holds one step of an agent. */
const agentStep = /^step \d+/;

/** The line that is printed when a step of an agent ends, or undefined for any other test step. */
export function stepLine({
  test,
  step,
}: {
  test: Pick<TestCase, 'title'>;
  step: Pick<TestStep, 'category' | 'title' | 'subtitle' | 'duration' | 'error'>;
}): string | undefined {
  if (step.category !== 'test.step' || !agentStep.test(step.title)) return undefined;
  const title = shorten({ text: oneLine(test.title), max: 28 });
  const { action, facts } = subtitleOf(step);
  return `    ${title.padEnd(28)}  ${oneLine(step.title)}  ${shorten({ text: action, max: 80 })}${facts}  (${durationText(step.duration)})${step.error ? '  failed' : ''}`;
}

/** The action, which may be long, and what stands behind it: tokens and money. */
function subtitleOf({ subtitle = '' }: Pick<TestStep, 'subtitle'>): { action: string; facts: string } {
  const text = oneLine(subtitle);
  const facts = /( · [^·]{1,24}){1,2}$/.exec(text)?.[0] ?? '';
  return { action: text.slice(0, text.length - facts.length), facts };
}

/** One screen about a finished run. */
export function summaryLines({ groups, page, maxReasons = 10 }: { groups: readonly Group[]; page: string; maxReasons?: number }): string[] {
  if (groups.length === 0) return ['', 'webwright: no attempts in this run', `  page: ${page}`];
  return [...groups.flatMap(group => ['', ...groupLines({ ...group, maxReasons })]), '', `  page: ${page}`];
}

function groupLines({ source, entries, summary, maxReasons }: Group & { maxReasons: number }): string[] {
  const { rate, rateWithoutExcluded, ungraded, stale, tokens } = summary;
  const excluded = entries.filter(entry => entry.excluded !== null);
  const notPassed = entries.filter(entry => entry.outcome !== 'passed');
  const lines = [
    `webwright, ${source}: ${rateText(rate)}`,
    `  ${outcomesText(summary)} · ${tokensText(tokens)} tokens · ${totalCostText(summary)}`,
  ];
  if (rateWithoutExcluded)
    lines.push(
      `  without ${excluded.length} that ${excluded.length === 1 ? 'says' : 'say'} nothing about the agent: ${rateText(rateWithoutExcluded)}`,
    );
  if (ungraded > 0) lines.push(`  ungraded (no rubric, no checks): ${ungraded}`);
  const advisory = entries.filter(({ attempt }) => attempt?.integrity === 'advisory').length;
  if (advisory > 0) lines.push(`  advisory verdicts (the agent's code ran as your user, see docs/sandbox.md): ${advisory}`);
  if (stale > 0) lines.push(`  stale recordings (the prompts changed since): ${stale}`);
  for (const entry of notPassed.slice(0, maxReasons)) lines.push(`  ${reasonLine(entry)}`);
  if (notPassed.length > maxReasons) lines.push(`  … and ${notPassed.length - maxReasons} more on the page`);
  return lines;
}

const reasonLine = ({ outcome, taskId, reason }: Entry) =>
  shorten({ text: `${outcome}: ${oneLine(taskId)}: ${oneLine(reason)}`, max: 150 });
