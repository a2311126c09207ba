import { defineTasks, workspaceTest } from 'playwright-webwright';
import { odysseysRows } from './rows.ts';

defineTasks(odysseysRows(), { test: workspaceTest });
