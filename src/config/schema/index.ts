import { z } from 'zod';
import { agentSchema } from './agent.ts';
import { environmentSchema } from './environment.ts';
import { judgeSchema, modelSchema } from './model.ts';

const budgetSchema = z.strictObject({
  usd: z
    .number()
    .positive()
    .nullable()
    .describe('Money for one attempt, judges included; null = no limit. A model without a known price cannot be held to it.'),
  tokens: z.int().min(1).nullable().describe('Input plus output tokens for one attempt, judges included; null = no limit.'),
  minutes: z
    .number()
    .positive()
    .nullable()
    .describe('Wall time of one attempt; null = `agent.time_limit_seconds` alone. The shorter of the two holds.'),
});

const suiteBudgetSchema = z.strictObject({
  usd: z
    .number()
    .positive()
    .nullable()
    .describe('Money for the whole run on this machine; a shard gets its share, 1 / shards. null = no limit.'),
  tokens: z.int().min(1).nullable().describe('Tokens for the whole run on this machine; a shard gets its share. null = no limit.'),
  minutes: z
    .number()
    .positive()
    .nullable()
    .describe('Wall time of the whole run, from its first model call; not divided among shards. null = no limit.'),
});

const runSchema = z.strictObject({
  task: z.string().min(1).nullable().describe('The task of `webwright run` when `-t` is not given.'),
  task_id: z.string().min(1).nullable().describe('Its id; null = `adhoc`.'),
  start_urls: z.array(z.string().min(1)).describe('Pages that are open when it starts.'),
  output_dir: z.string().min(1).describe('Where run folders are made, relative to the folder the run was started in.'),
});

/**
 * The whole configuration. Strict: a key that is not here is an error. Defaults are not in the schema but in
 * `config/base.yaml`, which lies under every stack, so that one file shows them all.
 */
export const configSchema = z.strictObject({
  agent: agentSchema.describe('The loop, its limits and its prompts.'),
  model: modelSchema.describe('The model that acts, and what it reads.'),
  judge: judgeSchema.describe('The judges: coach and grader.'),
  environment: environmentSchema.describe('Where the agent acts.'),
  budget: budgetSchema.describe('What one attempt may cost at most; printed at the start of a run.'),
  suite_budget: suiteBudgetSchema.describe('What all attempts of a run may cost together; an attempt that it cuts ends `skipped: budget`.'),
  run: runSchema.describe('What `webwright run` does when its flags do not say.'),
});

/** A validated configuration, every key present. */
export type Config = z.infer<typeof configSchema>;
export type AgentConfig = Config['agent'];
export type ModelConfig = Config['model'];
export type JudgeConfig = Config['judge'];
export type EnvironmentConfig = Config['environment'];
export type BudgetConfig = Config['budget'];
