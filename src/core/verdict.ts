/** 1 = done, 0 = not done, null = could not be decided. Only 1 passes. */
export type PredictedLabel = 1 | 0 | null;

/** One image looked at by the coach (stage 1). `score` is 1–5, or 0 when no valid score could be had in three tries. */
export interface ImageJudgement {
  path: string;
  sha256: string;
  score: number;
  reasoning: string;
  parseFailed: boolean;
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
}

export interface GraderVerdict {
  items: ItemVerdict[];
  model: string;
}

/** Everything judged about an attempt. `predicted_label` is the coach's; the items are the grader's. */
export interface Verdict {
  predicted_label: PredictedLabel;
  reasons: string;
  coach: CoachVerdict | null;
  grader: GraderVerdict | null;
}
