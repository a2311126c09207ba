import { cleanText, shortenDataUrls } from './clean-text.ts';

/** Phrases with which pages have tried to talk to a judge or an agent (reference: reliability.md §6.1, lessons-and-evals.md B12). */
const phrases: readonly RegExp[] = [
  /\bstatus["'*_\s]*[:：]["'*_\s]*(?:success|pass)/iu,
  /["']?predicted_label["']?\s*[:=]/iu,
  /\b(?:mark|grade|score|rate|consider|count|treat|report)\b[^.\n]{0,40}\bas\s+(?:a\s+)?(?:success\w*|pass\w*|complete\w*|met|done)\b/iu,
  /\b(?:ignore|disregard|forget)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|all)\b[^.\n]{0,30}\b(?:instruction|prompt|rule|message)/iu,
  /\b(?:note|message|instruction|attention)s?\b[^.\n]{0,20}\b(?:to|for)\s+(?:the\s+)?(?:judge|grader|evaluator|reviewer|ai|assistant|agent|language model)/iu,
  /\bevaluation\s+note\b/iu,
  /^\s*(?:system|assistant|user)\s*:/imu,
];

/** True when a text speaks to a judge or poses as a prompt. It changes no verdict: it is reported, and the judge is told. */
export function isSuspicious(text: string): boolean {
  const clean = cleanText(shortenDataUrls(text)).text.normalize('NFKC');
  return phrases.some(phrase => phrase.test(clean));
}
