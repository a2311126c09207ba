import { defineConfig } from '@playwright/test';
import { reporters } from 'playwright-webwright/config';

/** For `npx playwright merge-reports -c merge.config.ts reports/blob`: the reports of all shards as one. Exits with 1 when a test failed. */
export default defineConfig({ testDir: 'tasks', reporter: reporters({ merge: true }) });
