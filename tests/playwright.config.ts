import { defineConfig } from '@playwright/test';

/** The project's own tests. `unit` is pure; `runner` starts the real runner on tiny projects; `tamper` and `chaos` attack it. */
export default defineConfig({
  testDir: '.',
  outputDir: '../test-results/tests',
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  // Most of these tests wait for browsers and deadlines more than they compute.
  workers: 3,
  reporter: [['list']],
  projects: [
    { name: 'unit', testDir: './unit', timeout: 15_000 },
    { name: 'runner', testDir: './runner', timeout: 300_000 },
    { name: 'tamper', testDir: './tamper', timeout: 300_000 },
    { name: 'chaos', testDir: './chaos', timeout: 300_000 },
  ],
});
