import { expect, test } from '@playwright/test';
import { createStepEvents } from '../../../src/environments/page/events.ts';

test('events are ordered by kind, equal ones counted, of too many the last are kept', () => {
  const events = createStepEvents();
  for (let i = 0; i < 15; i += 1) events.add('console', `log: line ${i}`);
  events.add('console', 'log: line 14');
  events.add('harness', 'The page was lost.');
  const lines = events.drain();
  expect(lines[0]).toBe('The page was lost.');
  expect(lines[1]).toBe('console: … 5 earlier ones not shown');
  expect(lines.at(-1)).toBe('console: log: line 14 (×2)');
  expect(lines).toHaveLength(12);
  expect(events.drain()).toEqual([]);
});
