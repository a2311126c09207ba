import { z } from 'zod';
import { count, seconds, shippedOrModule, template } from './values.ts';

const modelClass = shippedOrModule(['openai', 'anthropic', 'chat', 'scripted', 'recorded']);

/** What agent and judge models have in common. `null` leaves the choice to the provider or to the backend. */
const endpoint = {
  model_class: modelClass.describe(
    'The protocol: `openai` (Responses API), `anthropic` (Messages API), `chat` (chat completions: any compatible server), `recorded`, `scripted`, or a module such as `./my-model.ts#MyModel`.',
  ),
  model_name: z.string().min(1).nullable().describe('The model id as the endpoint knows it.'),
  base_url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .describe("The endpoint; null = OPENAI_BASE_URL or ANTHROPIC_BASE_URL, else the provider's own."),
  api_key: z.string().min(1).nullable().describe('The key itself. Better: leave it null and set the environment variable.'),
  api_key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable')
    .nullable()
    .describe(
      "The environment variable that holds the key; null = the endpoint's own (OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY …), and none on this machine.",
    ),
  max_output_tokens: count().describe('Output limit of one call, reasoning included. Too small cuts scripts off in the middle.'),
  reasoning_effort: z
    .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
    .nullable()
    .describe('How long a reasoning model may think.'),
  temperature: z.number().min(0).max(2).nullable().describe('Sampling temperature; many reasoning models refuse any.'),
  seed: z.int().nullable().describe('Sampling seed, where the provider has one.'),
  request_timeout_seconds: seconds().describe('One HTTP attempt, body included.'),
  total_timeout_seconds: seconds().describe('One model call with all its retries.'),
  image_max_edge_px: count().describe('Images are scaled down to this longer edge before they are sent.'),
};

export const modelSchema = z.strictObject({
  ...endpoint,
  recordings: z
    .string()
    .min(1)
    .nullable()
    .describe("Folder of the recordings that `model_class: recorded` replays; null = the project's `fixtures/recordings`."),
  prices: z
    .string()
    .min(1)
    .nullable()
    .describe('Price table that replaces the shipped `config/prices.yaml`; a model that is not in it has an unknown price.'),
  observation_template: template().describe('What the agent reads after each action.'),
  format_error_template: template().describe('What the agent reads when its reply is no valid turn.'),
  attach_observation_screenshot: z.boolean().describe("Attach the harness's screenshot to each observation (needs a model that sees)."),
});

/** Each key that is left out, or null, is the agent's. */
const judgeModelSchema = z.strictObject(
  Object.fromEntries(Object.entries(endpoint).map(([key, schema]) => [key, schema.nullable().optional()])) as {
    [Key in keyof typeof endpoint]: z.ZodOptional<z.ZodNullable<(typeof endpoint)[Key]>>;
  },
);

export const judgeSchema = z.strictObject({
  model: judgeModelSchema.describe(
    "The judges' endpoint and model. Every key that is absent or null is taken from `model`: one key of any provider runs everything.",
  ),
  grader: z
    .enum(['robust', 'odysseys-protocol', 'webjudge'])
    .describe(
      "How a finished attempt is judged: `robust` is ours, one rubric item a call; `odysseys-protocol` follows that benchmark's scorer; `webjudge` follows Online-Mind2Web's, one verdict without a rubric. The last two with our prompts.",
    ),
  scorer_prompt: z
    .string()
    .min(1)
    .nullable()
    .describe(
      "File with the Odysseys scorer's own system prompt, for `odysseys-protocol`; null = ours, and reports say that the score is not leaderboard-comparable.",
    ),
  concurrency: count().max(32).describe('Judge calls in flight at once, per attempt.'),
  max_images: count().describe('Screenshots that one look or one rubric item may use.'),
  calibration_file: z
    .string()
    .min(1)
    .describe(
      'What `webwright calibrate` measured, relative to the project. Reports say `calibrated` when it holds the configuration that judged, else `uncalibrated`.',
    ),
});
