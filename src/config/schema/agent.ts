import { z } from 'zod';
import { count, seconds, shippedOrModule, template } from './values.ts';

export const agentSchema = z.strictObject({
  agent_class: shippedOrModule(['default']).describe('The loop: `default`, or a module such as `./my-agent.ts#MyAgent`.'),
  system_template: template().describe('The system prompt. Rendered once, at the start.'),
  instance_template: template().describe('The first user message: the task. Rendered once, at the start.'),
  web_rules: template().describe('How to work on web sites; prompts insert it as `{{ web_rules }}`.'),
  extra_rules: template()
    .nullable()
    .describe('Further instructions at the end of the system prompt, for rules of your own without copying it.'),
  step_limit: count().describe('Model turns whose action may run. The last one only allows finishing.'),
  time_limit_seconds: seconds().describe('Wall time of the attempt.'),
  max_format_errors: count().describe('Replies in a row that are no valid turn, before the attempt ends.'),
  max_no_action_turns: count().describe('Turns in a row with neither action nor `done`, before the attempt ends.'),
  max_looks: count().max(5).describe('How often the coach may judge the attempt; at most 5.'),
  require_self_reflection_success: z.boolean().describe('Gate `done`: it counts only when the harness has judged the work done.'),
  gate: z
    .enum(['facts', 'self_reflection'])
    .describe('How the gate judges: `facts` checks by code only (plan, run, log, evidence); `self_reflection` then asks the coach.'),
  summary_every_n_steps: z.int().min(0).describe('Compact the conversation every so many steps; 0 = only by size.'),
  summary_at_tokens: z.int().min(0).describe('Compact the conversation when a request grows beyond so many tokens; 0 = only by steps.'),
  summary_prompt: template().describe('What asks the model for the summary when the conversation is compacted.'),
  keep_last_n_observations: z.int().min(0).describe('Page snapshots kept in the conversation; older ones are replaced by a line. 0 = all.'),
  attach_plan_md_after_observation: z.boolean().describe('Repeat the current `plan.md` after each observation (workspace).'),
  attach_instance_template_after_observation: z.boolean().describe('Repeat the task message after each observation.'),
  debug_log: z.boolean().describe('Write `debug/steps.md` and `debug/steps/step_NNNN.json`.'),
});
