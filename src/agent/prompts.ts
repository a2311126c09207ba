import { promptVars } from '../config/prompt-vars.ts';
import type { Config } from '../config/schema/index.ts';
import { renderTemplate } from '../config/template.ts';
import type { Environment, Observation } from '../core/environment.ts';
import type { Task } from '../core/task.ts';

export interface CriticalPoint {
  id: string;
  text: string;
}

/** The prompts of one attempt, rendered from the config's templates. */
export interface Prompts {
  system(): string;
  instance(): string;
  observation(options: { observation: Observation; step: number }): string;
  formatError(options: { error: string }): string;
}

/**
 * Prompts over the variables every template may use: `task`, `task_id`, `start_urls`, `inputs` (names of files), `critical_points`, `action_field`,
 * the config's own (`promptVars`), the environment's, and in observations `obs`, `step`, `steps_left`.
 */
export function createPrompts({
  config,
  task,
  points,
  environment,
}: {
  config: Config;
  task: Task;
  points: readonly CriticalPoint[];
  environment: Environment;
}): Prompts {
  const shared = () => ({
    ...environment.templateVars(),
    ...promptVars(config),
    task: task.instruction,
    task_id: task.id,
    start_urls: task.startUrls,
    inputs: task.inputs.map(({ name }) => name),
    critical_points: points,
    action_field: environment.actionField,
    step_limit: config.agent.step_limit,
    max_looks: config.agent.max_looks,
    gate: config.agent.gate,
    require_self_reflection_success: config.agent.require_self_reflection_success,
  });
  const render = (name: string, template: string, vars: Record<string, unknown> = {}) =>
    renderTemplate({ name, template, vars: { ...shared(), ...vars } });
  return {
    system: () => render('agent.system_template', config.agent.system_template),
    instance: () => render('agent.instance_template', config.agent.instance_template),
    observation: ({ observation: { fields, success, exception }, step }) =>
      render('model.observation_template', config.model.observation_template, {
        obs: { ...fields, success, exception },
        step,
        steps_left: Math.max(0, config.agent.step_limit - step),
      }),
    formatError: ({ error }) => render('model.format_error_template', config.model.format_error_template, { error }),
  };
}
