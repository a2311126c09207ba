import { defineConfig } from '@playwright/test';

/** Cases that live-*.spec.ts run through the real runner: tests that time out, and what a trace holds. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.case.ts',
  retries: 0,
  workers: 1,
  reporter: [['json']],
});
