import { explainNavigation } from './start-urls.ts';

const hints: [RegExp, string][] = [
  [/Target page, context or browser has been closed/, 'This tab is closed. Choose another one: page = context.pages()[0].'],
  [/Execution context was destroyed/, 'The page navigated while code ran in it. Wait for the new page, then ask again.'],
  [/Element is not attached/, 'The page replaced this element. Use a locator instead of a handle, or find it again.'],
  [/Path is not available when connecting remotely/, "Downloads are kept by the harness: read one with await download.text('name')."],
  [/Page crashed|Target crashed/, 'The page crashed.'],
  [
    /Dialog .*already handled|dialog which is already handled/,
    'The harness has answered this dialog already: a listener must answer within 2 s.',
  ],
  [/is not defined/, 'Variables last one step. In scope are page, context, browser, expect, task and state; keep values in state.'],
];

/** What an error of the model's code means, where Playwright's own words do not say it; empty otherwise. */
export function hintFor(error: string): string {
  const navigation = /net::ERR|Download is starting|invalid URL/.test(error) ? explainNavigation(error) : null;
  if (navigation) return `That means: ${navigation.meaning} (${navigation.remedy}).`;
  return hints.find(([pattern]) => pattern.test(error))?.[1] ?? '';
}
