import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { loadConfig } from '../../../src/config/load.ts';
import { findPackageRoot } from '../../../src/config/package-root.ts';
import { promptVars } from '../../../src/config/prompt-vars.ts';
import type { Config } from '../../../src/config/schema/index.ts';
import { shippedNames } from '../../../src/config/spec.ts';
import { renderTemplate } from '../../../src/config/template.ts';

export const packageRoot = findPackageRoot(import.meta.url);
export const shippedFiles = shippedNames([join(packageRoot, 'config')]);
export const load = (specs: string[]) => loadConfig({ specs, cwd: packageRoot, packageRoot, env: {} });

/** What the environments report, in the shape they do; first the observation before any action, then those after one. */
const workspaceFields = {
  status: 'ok',
  workspace: '/run/workspace',
  cwd: '/run/workspace',
  returncode: null as number | null,
  exception: '',
  output: '',
  files_changed: [] as string[],
};
const liveFields = {
  url: 'http://shop.localhost/',
  title: 'Shop',
  status: 200,
  tabs: [{ index: 0, url: 'http://shop.localhost/', title: 'Shop', current: true }],
  events: [] as string[],
  output: '',
  return_value: '',
  aria: '- heading "Shop"',
  aria_mode: 'full',
};
const textFields = {
  url: 'http://shop.localhost/',
  title: 'Shop',
  status: 200,
  tabs: [{ number: 1, url: 'http://shop.localhost/', title: 'Shop', current: true }],
  events: [] as string[],
  output: '',
  downloads: [] as { name: string; bytes: number; preview: string }[],
  elements: '[1] link "Kettles"',
  scroll: '',
  text: 'Shop',
};
const observations = {
  workspace: [
    { ...workspaceFields, success: true },
    {
      ...workspaceFields,
      success: false,
      returncode: 1,
      exception: 'time limit: …',
      output: 'half of it',
      output_bytes: 12,
      log_path: 'logs/step_0001.log',
      notice: 'left running',
      files_changed: ['plan.md', 'a.mjs'],
      files_changed_omitted: 3,
      screenshots: ['final_runs/run_1/screenshots/final_execution_1_list.png'],
      final_run: 'final_runs/run_1 is complete',
      final_script_path: '/run/workspace/final_script.mjs',
      final_script_preview: '',
    },
  ],
  live: [
    { ...liveFields, success: true, exception: '' },
    {
      ...liveFields,
      success: false,
      exception: 'TimeoutError: …',
      output: 'printed',
      return_value: '42',
      status: 404,
      downloads: [{ name: 'prices.csv', bytes: 12, preview: 'kettle,24.90' }],
      events: ['dialog: alert "Hi" dismissed'],
      tabs: [...liveFields.tabs, { index: 1, url: 'http://library.localhost/', title: 'Library', current: false }],
    },
  ],
  text: [
    { ...textFields, success: true, exception: '' },
    {
      ...textFields,
      success: false,
      exception: 'line 1 (click 2): ElementVanished: …',
      status: 404,
      output: 'Kettle, 24.90',
      downloads: [{ name: 'prices.csv', bytes: 12, preview: 'kettle,24.90' }],
      events: ['dialog: alert "Hi" dismissed'],
      tabs: [...textFields.tabs, { number: 2, url: 'http://library.localhost/', title: 'Library', current: false }],
      scroll: '0–720 of 2400 px',
    },
  ],
};

const kinds = {
  workspace: { actionField: 'bash_command', vars: { workspace_dir: '/run/workspace' } },
  live: { actionField: 'playwright_code', vars: { viewport: { width: 1280, height: 720 } } },
  text: { actionField: 'dsl', vars: {} },
} as const;

/** Everything a model can be shown from a configuration, rendered the way the agent does it. */
export function renderAll(config: Config): Record<string, string> {
  const kind = config.environment.environment_class as keyof typeof kinds;
  const { actionField, vars } = kinds[kind];
  const shared = {
    ...vars,
    ...promptVars(config),
    task: 'Find the cheapest blue kettle.',
    task_id: 'kettle',
    start_urls: ['http://shop.localhost/'],
    inputs: ['cv.pdf'],
    critical_points: [{ id: 'CP1', text: 'The kettle is blue.' }],
    action_field: actionField,
  };
  const render = (name: string, template: string, more: Record<string, unknown> = {}) =>
    renderTemplate({ name, template, vars: { ...shared, ...more } });
  const shown = observations[kind].map((obs, step) =>
    render('model.observation_template', config.model.observation_template, { obs, step, steps_left: 99 }),
  );
  return {
    'agent.system_template': render('agent.system_template', config.agent.system_template),
    'agent.instance_template': render('agent.instance_template', config.agent.instance_template),
    'agent.instance_template, bare': render('agent.instance_template', config.agent.instance_template, {
      start_urls: [],
      inputs: [],
      critical_points: [],
    }),
    'agent.summary_prompt': render('agent.summary_prompt', config.agent.summary_prompt),
    'model.observation_template, first': shown[0]!,
    'model.observation_template, full': shown[1]!,
    'model.format_error_template': render('model.format_error_template', config.model.format_error_template, { error: 'not JSON' }),
  };
}

/** Prompts as they are shipped: name of the stack → its specs. */
export const promptStacks: Record<string, string[]> = {
  'base.yaml (workspace)': [],
  'local_browser.yaml (live)': ['local_browser.yaml'],
  'crafted_cli.yaml (workspace)': ['crafted_cli.yaml'],
  'text_route.yaml (text)': ['text_route.yaml'],
};

export function tokensOf(text: string): number {
  return encode(text).length;
}
