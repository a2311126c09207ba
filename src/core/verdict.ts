import type { Integrity } from './integrity.ts';
import type { Usage } from './usage.ts';

/** 1 = done, 0 = not done, null = could not be decided. Only 1 passes. */
export type PredictedLabel = 1 | 0 | null;

/** One image looked at by the coach (stage 1). `score` is 1–5, or 0 when no valid score could be had in three tries. */
export interface ImageJudgement {
  path: string;
  sha256: string;
  score: number;
  reasoning: string;
  parseFailed: boolean;
  /** Id of the evidence. */
  id?: string;
  /** Ids of the critical points this image proves, in the judge's opinion. */
  shows?: string[];
  /** Taken over from an earlier look: the image and the question were the same. */
  cached?: boolean;
}

/** Who decided an item or a point, and what that took. */
export interface JudgedBy {
  /** The model id the endpoint reported. */
  model: string;
  /** Equal digests mean that the judge's prompts were equal. */
  promptDigest: string;
  /** Input and output of all calls about it. The points of one look share a call, so each carries that call's tokens. */
  tokens: number;
  /** Calls, unreadable replies included: more than there are votes where the judge had to be asked again. */
  calls: number;
}

/** The coach's answer about one critical point. */
export interface PointVerdict {
  id: string;
  text: string;
  status: 'met' | 'not-met' | 'cannot-tell';
  reason: string;
  /** Ids of the images cited, or `log`. */
  evidence: string[];
  votes?: PointVerdict['status'][];
  judgedBy?: JudgedBy;
}

/** What a judge spent and how it was asked; equal digests mean that the prompts were equal. */
export interface JudgeRecord {
  promptDigest: string;
  usage: Usage;
  /** Null when a price was unknown. */
  costUsd: number | null;
  calls: number;
  /** Control and invisible characters that were removed from page and agent text. */
  removedCharacters: number;
}

/** The coach's answer about one look (Webwright's two-stage self-reflection). */
export interface CoachVerdict {
  predicted_label: PredictedLabel;
  /** Why, in the judge's words, or why no verdict could be had. */
  reasons: string;
  images: ImageJudgement[];
  /** Which run of the final script was judged; absent in live mode. */
  run?: number;
  /** 1 for the first look of the attempt. */
  look: number;
  model: string;
  /** Per critical point; absent where the judge answered in the text form. */
  points?: PointVerdict[];
  record?: JudgeRecord;
}

/** The grader's answer about one rubric item, or the result of one check. `cannot-tell` counts as fail; `unasked` = the judge could not be reached. */
export interface ItemVerdict {
  id: string;
  kind: 'check' | 'rubric';
  requirement: string;
  status: 'pass' | 'fail' | 'cannot-tell' | 'unasked';
  reason: string;
  /** Ids of evidence the judge cited, or names of what a check looked at. */
  evidence: string[];
  expected?: string;
  seen?: string;
  /** Each vote of the judge in order; absent for checks and where none was given. */
  votes?: ItemVerdict['status'][];
  judgedBy?: JudgedBy;
  /** What the benchmark's own scorer would read in the same reply (`odysseys-protocol`): the first plain `Status:`; nothing readable is a fail. */
  strict?: 'pass' | 'fail';
  /** 0–1, as the judge said it. */
  confidence?: number;
  /** Values of the final response that the item depends on, each with the id of the evidence that shows it (`robust`). */
  values?: { value: string; evidence: string }[];
}

export interface GraderVerdict {
  items: ItemVerdict[];
  model: string;
  /** How it was graded, e.g. `odysseys-protocol (own prompts, not leaderboard-comparable)`. */
  protocol?: string;
  record?: JudgeRecord;
}

/** Everything judged about an attempt. `predicted_label` is the coach's; the items are the grader's. */
export interface Verdict {
  predicted_label: PredictedLabel;
  reasons: string;
  coach: CoachVerdict | null;
  grader: GraderVerdict | null;
  /** What held the agent's code while this was decided, and what the verdict is worth therefore; absent before the attempt is over. */
  sandbox?: string;
  integrity?: Integrity;
}
