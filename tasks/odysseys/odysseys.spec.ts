import { defineTasks } from 'playwright-webwright';
import { odysseysRows } from './rows.ts';

defineTasks(odysseysRows());
