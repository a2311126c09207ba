import type { Download } from '../core/evidence.ts';
import type { Model } from '../core/model.ts';
import type { CoachVerdict, ImageJudgement } from '../core/verdict.ts';
import { coachVerdict } from './coach-verdict.ts';
import type { CriticalPoint } from './critical-points.ts';
import { createFence } from './fence.ts';
import { distinctImages, isFresh, type JudgedImage, validateImages } from './images.ts';
import { judgeImage } from './judge-image.ts';
import { newRecord, spend } from './judge-record.ts';
import { mapLimited } from './map-limited.ts';
import { maxScored, selectForPoints, spread } from './select-images.ts';

/** Images that go with the verdict call; WebJudge sends at most 50 (reference: benchmarks.md §3.2), providers take fewer large ones. */
export const defaultMaxImages = 20;

/** Stage-1 results of earlier looks, by image, question and model. One per attempt. */
export type ImageCache = Map<string, ImageJudgement>;

export interface SelfReflectOptions {
  model: Model;
  instruction: string;
  points: readonly CriticalPoint[];
  images: readonly JudgedImage[];
  /** Files that the browser saved. */
  downloads?: readonly Download[];
  /** Addresses of the tabs that are open at the end. */
  openTabs?: readonly string[];
  /** Log of the run that is judged, or the actions of a live attempt; empty when there is none. */
  log: string;
  finalResponse: string;
  /** Run of the final script that is judged; leave out in live mode. */
  run?: number;
  /** 1 for the first look of the attempt; part of every call's key. */
  look: number;
  /** Secret of the attempt from which fences are made: the same in a replay, unknown to pages and agent. */
  seed: string;
  signal: AbortSignal;
  /** Stage-1 calls under way at once. */
  concurrency?: number;
  /** Images that go with the verdict call; the rest are represented by their stage-1 reasons. */
  maxImages?: number;
  cache?: ImageCache;
}

/**
 * One look of the coach: Webwright's two-stage self-reflection (reference: webwright.md §5.3). Stage 1 scores every distinct image
 * (`look-1/image-1` …); stage 2 gives one verdict over reasons, log, page texts and images (`look-1/verdict`).
 * Broken images throw before the first call ({@link validateImages}). A malformed reply never passes and never throws: an image gets
 * score 0 after three tries, a verdict the label null. A judge that cannot be asked throws its `ModelCallError`.
 *
 * @example
 * const verdict = await selfReflect({ model, instruction, points, images: evidence.items, log, finalResponse, look: 1, seed, signal });
 * verdict.predicted_label; // 1, 0 or null; only 1 passes
 */
export async function selfReflect({
  model,
  instruction,
  points,
  images,
  downloads = [],
  openTabs = [],
  log,
  finalResponse,
  run,
  look,
  seed,
  signal,
  concurrency = 4,
  maxImages = defaultMaxImages,
  cache = new Map(),
}: SelfReflectOptions): Promise<CoachVerdict> {
  // What the harness opened anew is compared with the rest, not scored: it goes to the verdict alone.
  const fresh = images.filter(isFresh);
  const distinct = spread({ items: distinctImages(images.filter(image => !isFresh(image))), max: maxScored });
  await validateImages([...distinct, ...fresh]);
  const base = { look, model: model.name, ...(run === undefined ? {} : { run }) };
  if (distinct.length === 0 && log.trim() === '') {
    return { ...base, predicted_label: null, reasons: 'nothing to judge: no image and no log', images: [] };
  }

  const record = newRecord();
  const judgements = await mapLimited({
    items: distinct,
    limit: concurrency,
    signal,
    work: async (image, { index, signal }) => {
      const key = `look-${look}/image-${index + 1}`;
      const fence = createFence({ seed, key });
      return judgeImage({ model, key, fence, instruction, points, image, cache, signal, record });
    },
  });

  const selected = selectForPoints({ images: distinct, judgements, points, max: maxImages });
  const key = `look-${look}/verdict`;
  const fence = createFence({ seed, key });
  const decision = await coachVerdict({
    model,
    key,
    fence,
    instruction,
    points,
    images: distinct,
    judgements,
    selected,
    fresh,
    downloads,
    openTabs,
    log,
    finalResponse,
    signal,
  });
  spend({ record, answer: decision });
  record.removedCharacters += fence.removed;
  return {
    ...base,
    model: decision.model,
    predicted_label: decision.label,
    reasons: decision.reasons,
    images: judgements,
    ...(decision.points ? { points: decision.points } : {}),
    record,
  };
}
