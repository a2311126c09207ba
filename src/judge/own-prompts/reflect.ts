import type { ImagePart } from '../../core/messages.ts';
import type { Model } from '../../core/model.ts';
import type { PredictedLabel } from '../../core/verdict.ts';
import { ask } from '../ask.ts';
import { cleanText } from '../clean-text.ts';
import { validateImages } from '../images.ts';
import { mapLimited } from '../map-limited.ts';
import { parseScore } from '../parse-score.ts';
import { parseStatus } from '../parse-status.ts';
import type { OwnPrompts } from './config.ts';
import { fillTemplate } from './template.ts';

/** One image in the output, with Webwright's field names. */
export interface ImageRecord {
  image_path: string;
  Response: string;
  Score: number;
  Reasoning: string;
  Attempts: number;
  ParseFailed: boolean;
  ParseError?: string;
}

/** Output of a self-reflection with a person's own prompts, with Webwright's field names (reference: webwright.md §5.3). */
export interface OwnReflection {
  model: string;
  predicted_label: PredictedLabel;
  final_response: string;
  final_user_text: string;
  final_system_msg: string;
  image_paths: string[];
  image_records: ImageRecord[];
}

/**
 * Webwright's two-stage self-reflection with prompts a person wrote: text replies, all images in the verdict call. It is a tool for people;
 * the gate and the grader never see its result. Throws when an image is broken or the model cannot be asked.
 *
 * @example
 * const output = await reflectWithOwnPrompts({ model, prompts, images, log, signal });
 * process.exitCode = output.predicted_label === 1 ? 0 : 1;
 */
export async function reflectWithOwnPrompts({
  model,
  prompts,
  images,
  log,
  signal,
  tries = 3,
  concurrency = 4,
  imageMaxTokens = 1_024,
  finalMaxTokens = 8_192,
}: {
  model: Model;
  prompts: OwnPrompts;
  images: readonly ImagePart[];
  log: string;
  signal: AbortSignal;
  /** `--max-image-parse-retries`: attempts in all. */
  tries?: number;
  concurrency?: number;
  imageMaxTokens?: number;
  finalMaxTokens?: number;
}): Promise<OwnReflection> {
  await validateImages(images.map((image, index) => ({ id: `${index + 1}`, image })));
  const records = await mapLimited({
    items: images,
    limit: concurrency,
    signal,
    work: async (image, { index, signal }): Promise<ImageRecord> => {
      let response = '';
      const {
        value,
        tries: attempts,
        problem,
      } = await ask({
        model,
        role: 'coach',
        key: `own/image-${index + 1}`,
        system: prompts.image_judge_system_prompt,
        user: [{ type: 'text', text: prompts.image_judge_user_prompt }, image],
        maxOutputTokens: imageMaxTokens,
        signal,
        tries,
        parse: text => {
          response = text;
          return parseScore(text);
        },
      });
      const place = { image_path: image.path, Response: response, Attempts: attempts };
      if (!value) return { ...place, Score: 0, Reasoning: '', ParseFailed: true, ParseError: problem };
      return { ...place, Score: value.score, Reasoning: value.reasoning, ParseFailed: false };
    },
  });
  const finalUserText = fillTemplate({
    template: prompts.final_verdict_user_prompt,
    values: {
      image_reasonings: records.map(({ Reasoning }, index) => `${index + 1}. ${cleanText(Reasoning).text}`).join('\n'),
      action_history_log: cleanText(log).text,
    },
  });
  let finalResponse = '';
  const answer = await ask({
    model,
    role: 'coach',
    key: 'own/verdict',
    system: prompts.final_verdict_system_prompt,
    user: [{ type: 'text', text: finalUserText }, ...images],
    maxOutputTokens: finalMaxTokens,
    signal,
    tries: 1,
    parse: text => {
      finalResponse = text;
      return parseStatus(text);
    },
  });
  return {
    model: answer.model,
    predicted_label: answer.value === null ? null : answer.value === 'success' ? 1 : 0,
    final_response: finalResponse,
    final_user_text: finalUserText,
    final_system_msg: prompts.final_verdict_system_prompt,
    image_paths: images.map(({ path }) => path),
    image_records: records,
  };
}
