import { defineTasks, taskFromOdysseysRow } from 'playwright-webwright';
import { siteTest } from 'playwright-webwright/testing';
import rows from './live.json' with { type: 'json' };

defineTasks(
  rows.map(row => taskFromOdysseysRow({ row, benchmark: 'mini' })),
  { test: siteTest },
);
