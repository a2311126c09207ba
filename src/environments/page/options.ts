import type { Browser, BrowserContext, Page } from '@playwright/test';
import type { Observation } from '../../core/environment.ts';
import type { Redact } from '../../core/redact.ts';
import type { Task } from '../../core/task.ts';
import type { EvidenceStore } from '../../record/evidence.ts';
import type { RunFolder } from '../../record/run-folder.ts';
import type { AttemptEgress } from '../../sandbox/egress/egress.ts';

/** What an environment on the runner's own page is made of, whatever its actions are. */
export interface PageEnvironmentOptions {
  browser: Browser;
  context: BrowserContext;
  /** The page the agent starts on; it stays open for the whole attempt. */
  page: Page;
  evidence: EvidenceStore;
  folder: RunFolder;
  task: Task;
  redact?: Redact;
  /** Told about what is worth keeping in the record but is not shown to the model. */
  note?: (text: string) => void;
  /** Gives the opened page to a person first; what it returns is told to the agent. */
  handOver?: ((page: Page) => Promise<string>) | undefined;
  /** What the proxy of the harness holds; its refusals are events. Absent or null: nothing is held. */
  egress?: AttemptEgress | null | undefined;
}

/** The attempt is over: nothing is asked of the page any more. `fields`: what only one environment tells. */
export function abortedObservation(fields: Record<string, string>): Observation {
  const exception = 'The attempt is being ended.';
  return {
    success: false,
    exception,
    fields: { url: '', title: '', status: null, tabs: [], events: [], exception, output: '', downloads: [], ...fields },
  };
}
