import type { EvidenceItem } from '../core/evidence.ts';
import type { RubricItem } from '../core/task.ts';
import type { ItemVerdict } from '../core/verdict.ts';
import { createFence } from './fence.ts';
import type { GraderSession } from './grader-session.ts';
import { type GradedAttempt, protocolRequest } from './item-request.ts';
import { parseProtocolReply } from './item-verdict.ts';
import { rubricPrompt } from './prompts.ts';

/**
 * The rubric in the manner of the Odysseys scorer (reference: benchmarks.md §2.6): one item per call, one after the other, all images in
 * step order at full size. With a cap the last ones stay. Replies are text, read tolerantly; what the scorer itself would have read is kept
 * beside it. With a prompt file of the scorer's nothing has to be cited, since its own prompt asks for no citation.
 */
export async function gradeByProtocol({
  session,
  rubric,
  attempt,
  evidence,
  seed,
  maxImages,
  scorerPrompt,
}: {
  session: GraderSession;
  rubric: readonly RubricItem[];
  attempt: GradedAttempt;
  evidence: readonly EvidenceItem[];
  seed: string;
  maxImages: number;
  scorerPrompt?: string | undefined;
}): Promise<ItemVerdict[]> {
  const images = evidence.slice(-Math.max(1, maxImages));
  const items: ItemVerdict[] = [];
  for (const item of rubric) {
    const key = `item-${item.id}`;
    const fence = createFence({ seed, key });
    const user = protocolRequest({ attempt, item, images, fence });
    items.push(
      await session.decide({
        item,
        key,
        system: scorerPrompt ?? rubricPrompt,
        user,
        parse: parseProtocolReply,
        mustCite: scorerPrompt === undefined,
      }),
    );
    session.record.removedCharacters += fence.removed;
  }
  return items;
}
