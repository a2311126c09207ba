import { defineTasks, taskFromOdysseysRow } from 'playwright-webwright';
import { siteWorkspaceTest } from 'playwright-webwright/testing';
import rows from './workspace.json' with { type: 'json' };

defineTasks(
  rows.map(row => taskFromOdysseysRow({ row, benchmark: 'mini' })),
  { test: siteWorkspaceTest },
);
