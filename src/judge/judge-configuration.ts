import type { Config } from '../config/schema/index.ts';
import type { Model } from '../core/model.ts';
import { digestOf } from './digest.ts';
import type { GradeMode } from './grade.ts';
import { promptsDigest } from './prompts.ts';

/** Everything that changes what a grader says about the same evidence. */
export interface JudgeConfiguration {
  model: string;
  provider: string;
  grader: GradeMode;
  maxImages: number;
  imageMaxEdgePx: number;
  reasoningEffort: string | null;
  temperature: number | null;
  /** Of the judges' prompts, and of the scorer's own where the config names it. */
  promptsDigest: string;
  /** Of all the above: a calibration holds for this digest only (reference: lessons-and-evals.md B10 rule 6). */
  digest: string;
}

/** The configuration with which attempts are graded. */
export function judgeConfiguration({
  model,
  config,
  scorerPrompt,
}: {
  model: Pick<Model, 'name' | 'provider'>;
  config: Pick<Config, 'model' | 'judge'>;
  scorerPrompt: string | undefined;
}): JudgeConfiguration {
  const own = config.judge.model;
  const configuration = {
    model: model.name,
    provider: model.provider,
    grader: config.judge.grader,
    maxImages: config.judge.max_images,
    imageMaxEdgePx: own.image_max_edge_px ?? config.model.image_max_edge_px,
    reasoningEffort: own.reasoning_effort ?? config.model.reasoning_effort,
    temperature: own.temperature ?? config.model.temperature,
    promptsDigest: scorerPrompt === undefined ? promptsDigest : digestOf(promptsDigest, scorerPrompt),
  };
  return { ...configuration, digest: digestOf(configuration) };
}
