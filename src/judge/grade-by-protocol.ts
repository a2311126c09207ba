import type { EvidenceItem } from '../core/evidence.ts';
import type { RubricItem } from '../core/task.ts';
import type { ItemVerdict } from '../core/verdict.ts';
import { createFence } from './fence.ts';
import type { GraderSession } from './grader-session.ts';
import { type GradedAttempt, protocolRequest } from './item-request.ts';
import { protocolSchema } from './item-verdict.ts';
import { rubricPrompt } from './prompts.ts';

/**
 * The rubric in the manner of the Odysseys scorer (reference: benchmarks.md §2.6): one item per call, one after the other, all images in
 * step order at full size. With a cap the last ones stay.
 */
export async function gradeByProtocol({
  session,
  rubric,
  attempt,
  evidence,
  seed,
  maxImages,
}: {
  session: GraderSession;
  rubric: readonly RubricItem[];
  attempt: GradedAttempt;
  evidence: readonly EvidenceItem[];
  seed: string;
  maxImages: number;
}): Promise<ItemVerdict[]> {
  const images = evidence.slice(-Math.max(1, maxImages));
  const items: ItemVerdict[] = [];
  for (const item of rubric) {
    const key = `item-${item.id}`;
    const fence = createFence({ seed, key });
    const user = protocolRequest({ attempt, item, images, fence });
    items.push(await session.decide({ item, key, system: rubricPrompt, user, schema: protocolSchema }));
    session.record.removedCharacters += fence.removed;
  }
  return items;
}
