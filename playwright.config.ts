import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { type AgentTestOptions, type AgentWorkerOptions, reporters } from 'playwright-webwright/config';

/** The key that is there decides which model a benchmark runs with; `WEBWRIGHT_CONFIG=model_local.yaml` and the like beat it. */
const liveModel = process.env['ANTHROPIC_API_KEY'] && !process.env['OPENAI_API_KEY'] ? 'model_claude.yaml' : 'model_openai.yaml';

export default defineConfig<AgentTestOptions, AgentWorkerOptions>({
  testDir: 'tasks',
  outputDir: 'test-results/tasks',
  fullyParallel: true,
  forbidOnly: Boolean(process.env['CI']),
  // Each worker has a browser; with a real model the endpoint's limits on calls count as well.
  workers: Math.min(4, availableParallelism()),
  // A retried pass is pass@k in disguise. Repeats are --repeat-each.
  retries: 0,
  reporter: reporters(),
  projects: [
    // Embedded tasks, played by recorded model traffic: no key, no network.
    { name: 'live', testMatch: 'mini/*.live.spec.ts', use: { agentConfig: ['model_recorded.yaml'] } },
    { name: 'workspace', testMatch: 'mini/*.workspace.spec.ts', use: { agentConfig: ['model_recorded.yaml'] } },

    // Odysseys: 200 tasks on the real web, with a real model.
    { name: 'preflight', testMatch: 'odysseys/preflight.spec.ts' },
    { name: 'odysseys', testMatch: 'odysseys/odysseys.spec.ts', dependencies: ['preflight'], use: { agentConfig: [liveModel] } },
    // The same rows again in a workspace, only when asked for: --project=odysseys-workspace.
    {
      name: 'odysseys-workspace',
      testMatch: 'odysseys/odysseys.workspace.spec.ts',
      dependencies: ['preflight'],
      default: false,
      use: { agentConfig: [liveModel] },
    },
  ],
});
