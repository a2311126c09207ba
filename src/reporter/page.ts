import { createHash } from 'node:crypto';
import type { AttemptResult } from '../core/attempt-result.ts';
import { calibrationText } from '../core/calibration.ts';
import { totalTokens } from '../core/usage.ts';
import type { Entry } from './entries.ts';
import { Html, html } from './html.ts';
import { pageStyle } from './page-style.ts';
import { type Group, type Rate, ratesBy } from './summary.ts';
import { costText, durationText, intervalText, percent, rateText, tokensText, totalCostText } from './text.ts';

/** A place that tells more about an attempt; `href` is relative to the page. */
export interface Link {
  label: string;
  href: string;
}

/** What the page shows. */
export interface PageOptions {
  groups: readonly Group[];
  /** When the run began, ISO 8601. */
  startedAt: string;
  linksOf: (entry: Entry) => Link[];
}

/** The benchmark page: one static file without scripts that opens from disk. */
export function pageOf({ groups, startedAt, linksOf }: PageOptions): string {
  const style = `style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ${style}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Benchmark results</title>
<style>${new Html(pageStyle)}</style>
</head>
<body>
<header>
<h1>Benchmark results</h1>
<p>Run of <time datetime="${startedAt}">${startedAt.slice(0, 16).replace('T', ' ')} UTC</time></p>
</header>
<main>
${groups.length === 0 ? html`<p>No attempts in this run.</p>` : groups.map(group => sectionOf({ group, linksOf }))}
</main>
</body>
</html>
`.markup;
}

const sectionTitles: Record<Group['source'], string> = {
  live: 'Live: a model answered during this run',
  mixed: 'Mixed: partly live, partly recorded or scripted replies',
  replayed: 'Replayed: the model’s replies came from recordings',
  scripted: 'Scripted: the replies were written by hand',
};

const gateNames: Record<AttemptResult['gate'], string> = {
  off: 'off: answers are claims',
  facts: 'facts, decided by code',
  self_reflection: 'self-reflection',
};

function sectionOf({ group, linksOf }: { group: Group; linksOf: PageOptions['linksOf'] }): Html {
  const { source, entries, summary } = group;
  const { rate, rateWithoutExcluded, outcomes, ungraded, stale } = summary;
  const excluded = entries.filter(entry => entry.excluded !== null).length;
  const opened = [...new Set(entries.flatMap(({ attempt }) => attempt?.allow ?? []))];
  return html`<section>
<h2>${sectionTitles[source]}</h2>
<p class="headline"><strong>${percent(rate.share)}</strong> ${rate.passed} of ${rate.planned} passed, ${intervalText(rate)}</p>
${barOf(rate)}
${rateWithoutExcluded ? html`<p>Without ${excluded} that say nothing about the agent: ${rateText(rateWithoutExcluded)}</p>` : ''}
<p>${Object.entries(outcomes).map(([outcome, count]) => html`<span class="outcome ${outcome}">${outcome} ${count}</span> `)}</p>
${advisoryNote(entries)}
<dl>
<dt>Tokens</dt><dd>${tokensText(summary.tokens)}</dd>
<dt>Cost</dt><dd>${totalCostText(summary)}</dd>
<dt>Agent model</dt><dd>${valuesOf({ entries, pick: attempt => attempt.agentModel })}</dd>
<dt>Judge model</dt><dd>${valuesOf({ entries, pick: judgeOf })}</dd>
<dt>Gate of done</dt><dd>${valuesOf({ entries, pick: attempt => gateNames[attempt.gate] })}</dd>
<dt>Sandbox</dt><dd>${valuesOf({ entries, pick: attempt => attempt.sandbox })}</dd>
<dt>Egress</dt><dd>${valuesOf({ entries, pick: attempt => attempt.egress })}</dd>
${opened.length > 0 ? html`<dt>Allowed</dt><dd>${opened.join(', ')}: the agent’s code could forge what was judged, or read the session (environment.allow)</dd>` : ''}
${ungraded > 0 ? html`<dt>Ungraded</dt><dd>${ungraded}: no rubric and no checks, only self-reflection</dd>` : ''}
${stale > 0 ? html`<dt>Stale</dt><dd>${stale}: prompts changed since the recording was made</dd>` : ''}
</dl>
${breakdownOf({ title: 'Project', entries, key: ({ test }) => test.project || 'default' })}
${breakdownOf({ title: 'Level', entries, key: ({ attempt }) => attempt?.level ?? 'none' })}
<div class="scroll"><table class="attempts">
<thead><tr><th>Task</th><th>Outcome</th><th>Why</th><th>Label</th><th>Items</th><th>Steps</th><th>Tokens</th><th>Cost</th><th>Time</th><th>More</th></tr></thead>
<tbody>
${entries.map(entry => rowOf({ entry, links: linksOf(entry) }))}
</tbody></table></div>
</section>`;
}

/** Said before everything else: a rate of such attempts is worth what their agents' honesty is. */
function advisoryNote(entries: Group['entries']): Html | '' {
  const count = entries.filter(({ attempt }) => attempt?.integrity === 'advisory').length;
  return count === 0
    ? ''
    : html`<p class="banner">Verdicts are advisory: in ${count} of ${entries.length} attempts the agent’s code ran as the user of the tests, who can read the memory of the judge and change its files. See docs/sandbox.md.</p>`;
}

/** The rate and its interval as a bar; the text beside it says the same. */
function barOf({ share, interval }: Rate): Html {
  const at = (value: number) => (value * 400).toFixed(1);
  return html`<svg class="bar" viewBox="0 0 400 14" role="img" aria-label="rate and interval">
<rect class="track" width="400" height="14" rx="3"/><rect class="rate" width="${at(share)}" height="14" rx="3"/>
<rect class="interval" x="${at(interval.low)}" y="6" width="${at(interval.high - interval.low)}" height="2"/></svg>`;
}

function breakdownOf({ title, entries, key }: { title: string; entries: readonly Entry[]; key: (entry: Entry) => string }): Html {
  const rates = [...ratesBy({ entries, key })];
  if (rates.length < 2) return html``;
  return html`<table><thead><tr><th>${title}</th><th>Result</th></tr></thead><tbody>
${rates.map(([value, rate]) => html`<tr><td>${value}</td><td>${rateText(rate)}</td></tr>`)}</tbody></table>`;
}

function rowOf({ entry, links }: { entry: Entry; links: Link[] }): Html {
  const { attempt, test } = entry;
  const passedItems = attempt?.items.filter(({ status }) => status === 'pass').length ?? 0;
  return html`<tr class="attempt" id="${test.id}-${attempt?.k ?? 0}">
<td>${entry.taskId}<br><small>${placeOf(entry)}</small></td>
<td><span class="outcome ${entry.outcome}">${entry.outcome}</span>${entry.excluded === null ? '' : html`<br><small>excluded: ${entry.excluded}</small>`}</td>
<td class="why">${entry.reason}</td>
<td>${attempt ? labelOf(attempt) : '–'}</td>
<td>${attempt && attempt.items.length > 0 ? `${passedItems} of ${attempt.items.length}` : '–'}</td>
<td class="number">${attempt?.steps ?? '–'}</td>
<td class="number">${attempt ? tokensText(tokensOf(attempt)) : '–'}</td>
<td class="number">${attempt ? costText(attempt.costUsd) : '–'}</td>
<td class="number">${attempt ? durationText(attempt.durationMs) : '–'}</td>
<td>${links.map(({ label, href }) => html`<a href="${href}">${label}</a> `)}</td>
</tr>${attempt ? detailOf(attempt) : ''}`;
}

/** Where an attempt was made, in a few words. */
function placeOf({ test, attempt }: Entry): string {
  const { environment, level, repeat = 0, k = 1 } = attempt ?? {};
  const words = [test.project, environment, level, repeat > 0 && `repeat ${repeat}`, k > 1 && `run ${k}`];
  return [...new Set(words.filter(Boolean))].join(' · ');
}

function detailOf(attempt: AttemptResult): Html {
  return html`
<tr class="detail"><td colspan="10"><details><summary>Task, answer and verdicts</summary>
<h3>Task</h3><p class="text">${attempt.instruction}</p>
<h3>Answer</h3><p class="text">${attempt.finalResponse || 'none'}</p>
${attempt.seal === null ? '' : html`<h3>Record</h3><p class="text">${attempt.seal.events} events, sha256 ${attempt.seal.head}</p>`}
<h3>Self-reflection</h3><p class="text">${attempt.reasons || 'none'}</p>
${attempt.items.length === 0 ? '' : html`<h3>Checks and rubric</h3><ul>${attempt.items.map(itemOf)}</ul>`}</details></td></tr>`;
}

const itemOf = ({ id, kind, requirement, status, reason }: AttemptResult['items'][number]) =>
  html`<li><span class="item ${status}">${status}</span> ${kind} ${id}: ${requirement}<br><small>${reason}</small></li>`;

/** Results of earlier versions know nothing of calibrations. */
const judgeOf = ({ judgeModel, calibration }: AttemptResult) => `${judgeModel}, ${calibrationText(calibration ?? null)}`;

const labelOf = ({ predicted_label, ungraded }: AttemptResult) =>
  html`${predicted_label ?? 'none'}${ungraded ? html` <small>ungraded</small>` : ''}`;

const tokensOf = ({ roles }: AttemptResult) => roles.reduce((sum, { usage }) => sum + totalTokens(usage), 0);

/** The distinct values of a field, comma-separated. */
function valuesOf({ entries, pick }: { entries: readonly Entry[]; pick: (attempt: AttemptResult) => string }): string {
  return [...new Set(entries.flatMap(({ attempt }) => (attempt ? [pick(attempt)] : [])))].join(', ') || '–';
}
