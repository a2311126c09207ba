import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { browserHandlers } from '../../../src/environments/workspace/broker-handlers.ts';
import type { BrowserSessions } from '../../../src/environments/workspace/browser-sessions.ts';
import { createRunRecords } from '../../../src/environments/workspace/run-records.ts';

test('a run that would be refused for certain gets no browser; exploration and a second page of a run are not asked about', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'webwright-unit-'));
  for (const run of [1, 2]) {
    mkdirSync(join(workspace, 'final_runs', `run_${run}`), { recursive: true });
    writeFileSync(join(workspace, 'final_runs', `run_${run}`, 'final_script.mjs'), run === 1 ? 'silent' : "shot('CP1')");
  }
  const given: unknown[] = [];
  const asked: string[] = [];
  const handlers = browserHandlers({
    sessions: {
      open: async (options: object) => {
        given.push(options);
        return { endpoint: 'e', page: 'p' };
      },
    } as unknown as BrowserSessions,
    records: createRunRecords({ workspace }),
    scriptProblem: async text => {
      asked.push(text);
      return text === 'silent' ? 'it says nothing about CP1' : null;
    },
    step: () => 4,
  });
  await expect(handlers['browser']!({ run: 1 })).rejects.toThrow('it says nothing about CP1');
  expect(given).toEqual([]);
  expect(await handlers['browser']!({ run: 2 })).toEqual({ endpoint: 'e', page: 'p', step: 4 });
  await handlers['browser']!({ run: 2 });
  await handlers['browser']!({});
  expect(given).toMatchObject([{ run: 2, goOn: false }, { run: 2 }, { goOn: false }]);
  await handlers['browser']!({ session: 'previous' });
  expect(given.at(-1)).toEqual({ goOn: true });
  await expect(handlers['browser']!({ session: 'run_1' })).rejects.toThrow("session can only be 'previous'");
  expect(asked).toEqual(['silent', "shot('CP1')"]);
  rmSync(workspace, { recursive: true });
});
