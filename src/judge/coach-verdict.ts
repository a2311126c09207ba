import { z } from 'zod';
import type { Download } from '../core/evidence.ts';
import type { Part } from '../core/messages.ts';
import type { Model, ReplySchema } from '../core/model.ts';
import type { Usage } from '../core/usage.ts';
import type { ImageJudgement, PointVerdict, PredictedLabel } from '../core/verdict.ts';
import { ask } from './ask.ts';
import { headAndTail } from './clean-text.ts';
import type { CriticalPoint } from './critical-points.ts';
import type { Fence } from './fence.ts';
import type { JudgedImage } from './images.ts';
import { imageText, taskText } from './judge-image.ts';
import { judgedBy } from './judge-record.ts';
import { parseWholeJson } from './parse-json.ts';
import { parseStatus } from './parse-status.ts';
import { verdictPrompt } from './prompts.ts';
import { filesText } from './saved-files.ts';
import { scales, weightsOf } from './select-images.ts';

/** Characters of log in the request. Real final prompts reach about 35,000 tokens (reference: benchmarks.md §3.4); this is under half of it. */
const logLimit = 60_000;
/** Characters of page text of all images together. */
const pageTextLimit = 60_000;

const schema: ReplySchema = {
  name: 'coach_verdict',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['thoughts', 'points', 'status'],
    properties: {
      thoughts: { type: 'string' },
      points: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['id', 'status', 'reason', 'evidence'],
          properties: {
            id: { type: 'string' },
            status: { type: 'string', enum: ['met', 'not-met', 'cannot-tell'] },
            reason: { type: 'string' },
            evidence: { type: 'array', items: { type: 'string' } },
          },
        },
      },
      status: { type: 'string', enum: ['success', 'failure'] },
    },
  },
};

const reply = z.object({
  thoughts: z.string().default(''),
  points: z.array(
    z.object({
      id: z.string(),
      status: z.enum(['met', 'not-met', 'cannot-tell']),
      reason: z.string().default(''),
      evidence: z.array(z.string()).default([]),
    }),
  ),
  status: z.enum(['success', 'failure']),
});

export interface CoachDecision {
  label: PredictedLabel;
  reasons: string;
  points?: PointVerdict[];
}

/** Stage 2: one call, no second try: a malformed verdict is the label null. */
export async function coachVerdict({
  model,
  key,
  fence,
  instruction,
  points,
  images,
  judgements,
  selected,
  fresh = [],
  downloads = [],
  openTabs = [],
  log,
  finalResponse,
  signal,
}: {
  model: Model;
  key: string;
  fence: Fence;
  instruction: string;
  points: readonly CriticalPoint[];
  images: readonly JudgedImage[];
  judgements: readonly ImageJudgement[];
  /** The images that are sent; reasons and page texts go for all. */
  selected: readonly JudgedImage[];
  /** The final addresses as the harness opened them anew. */
  fresh?: readonly JudgedImage[];
  /** Files that the browser saved. */
  downloads?: readonly Download[];
  /** Addresses of the tabs that are open at the end. */
  openTabs?: readonly string[];
  log: string;
  finalResponse: string;
  signal: AbortSignal;
}): Promise<CoachDecision & { usage: Usage; costUsd: number | null; tries: number; model: string }> {
  const weights = weightsOf({ images, judgements, points });
  const textLimit = Math.floor(pageTextLimit / Math.max(1, images.length));
  const pages = images.map((image, index) => {
    const { score, reasoning, parseFailed } = judgements[index]!;
    const impression = parseFailed || score === 0 ? '(unreadable)' : reasoning;
    return imageText({ image, fence, textLimit: Math.min(weights.get(image) === 'glance' ? 500 : 4_000, textLimit), impression });
  });
  pages.push(...fresh.map(image => imageText({ image, fence })));
  const sent = [...selected, ...fresh];
  const user: Part[] = [
    {
      type: 'text',
      text: [
        taskText({ instruction, points }),
        pages.length > 0 ? pages.join('\n\n') : 'There are no images.',
        ...filesText({ files: downloads, fence }),
        ...(openTabs.length > 0
          ? [`Open tabs at the end, as the harness saw them:\n${fence.wrap('tabs', openTabs.map(url => url.slice(0, 500)).join('\n'))}`]
          : []),
        `Log of the run:\n${fence.wrap('log', headAndTail({ text: log, limit: logLimit }) || '(empty)')}`,
        `The agent's final response, a claim:\n${fence.wrap('final response', headAndTail({ text: finalResponse, limit: 8_000 }) || '(none yet)')}`,
        `The ${sent.length} images that follow, in the order of the run: ${sent.map(({ id }) => id).join(', ') || 'none'}.`,
      ].join('\n\n'),
    },
    ...sent.map(item => ({ ...item.image, scale: scales[weights.get(item) ?? 'detail'] })),
  ];
  const answer = await ask({
    model,
    role: 'coach',
    key,
    system: verdictPrompt,
    user,
    schema,
    // Webwright's figure (reference: webwright.md §5.3).
    maxOutputTokens: 8_192,
    signal,
    tries: 1,
    parse: text =>
      decide({
        text,
        points,
        evidenceIds: [...[...images, ...fresh, ...downloads].map(({ id }) => id), 'log'],
        claims: claimsAmong(images),
      }),
  });
  const { usage, costUsd, tries } = answer;
  for (const point of answer.value?.points ?? []) Object.assign(point, { votes: [point.status], judgedBy: judgedBy(answer) });
  return { ...(answer.value ?? { label: null, reasons: `no verdict: ${answer.problem}` }), usage, costUsd, tries, model: answer.model };
}

/**
 * The label in a reply. `success` holds only when the reply says so and, in JSON, calls every critical point met and cites nothing that
 * does not exist (reference: reliability.md §8 rule 4); the text form has only its `Status:` line. Null: not a verdict.
 */
export function decide({
  text,
  points,
  evidenceIds,
  claims = [],
}: {
  text: string;
  points: readonly CriticalPoint[];
  evidenceIds: readonly string[];
  /** Those that cannot prove a point alone. */
  claims?: readonly string[];
}): CoachDecision | null {
  const json = parseWholeJson(text);
  if (!json) {
    const status = parseStatus(text);
    return status && { label: status === 'success' ? 1 : 0, reasons: thoughtsOf(text) };
  }
  const parsed = reply.safeParse(json);
  if (!parsed.success) return null;
  const verdicts = points.map((point): PointVerdict => {
    const answers = parsed.data.points.filter(({ id }) => id === point.id);
    const first = answers[0];
    if (!first) return { ...point, status: 'cannot-tell', reason: 'the judge said nothing about this point', evidence: [] };
    const unknown = first.evidence.filter(id => !evidenceIds.includes(id));
    const onlyClaims = first.evidence.length > 0 && first.evidence.every(id => claims.includes(id));
    const isDoubtful =
      answers.some(({ status }) => status !== first.status) || unknown.length > 0 || (first.status === 'met' && onlyClaims);
    const status = isDoubtful ? 'cannot-tell' : first.status;
    const doubt =
      unknown.length > 0
        ? ` (cites ${unknown.join(', ').slice(0, 100)}, which does not exist)`
        : onlyClaims
          ? ' (cites only pictures that the agent made)'
          : '';
    return { ...point, status, reason: first.reason + doubt, evidence: first.evidence.filter(id => !unknown.includes(id)) };
  });
  const open = verdicts.filter(({ status }) => status !== 'met');
  const passed = parsed.data.status === 'success' && open.length === 0;
  const reasons = [...open.map(({ id, status, reason }) => `${id} ${status}: ${reason}`), parsed.data.thoughts].filter(line => line !== '');
  return { label: passed ? 1 : 0, reasons: reasons.join('\n'), points: verdicts };
}

/** Pictures that the agent made, where the harness took some too. Where it could take none (`browser_mode: launch`), they are all there is. */
function claimsAmong(images: readonly JudgedImage[]): string[] {
  return images.some(({ source }) => source === 'harness') ? images.flatMap(({ id, source }) => (source === 'claim' ? [id] : [])) : [];
}

function thoughtsOf(text: string): string {
  return text
    .replace(/^\s*[*_#]*\s*thoughts[*_]*\s*[:：][*_]*\s*/iu, '')
    .trim()
    .slice(0, 8_000);
}
