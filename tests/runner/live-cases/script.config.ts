import { defineConfig } from '@playwright/test';
import { launchOptions } from '../live-fixture.ts';

/** Runs the exported `script.spec.ts` of one attempt. */
export default defineConfig({
  testDir: process.env['SCRIPT_FOLDER'] ?? '.',
  reporter: [['list']],
  use: { launchOptions },
});
