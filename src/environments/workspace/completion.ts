import type { CompletionMaterial, EvidenceItem } from '../../core/evidence.ts';
import type { EvidenceStore } from '../../record/evidence.ts';
import type { FinalRun, FinalRunFound, RunShot } from './final-run.ts';
import { readRegularFile } from './read-regular-file.ts';

/**
 * What stands behind a `done`: the screenshots and the log of the newest run, or what is missing. Images that the agent made are copied
 * into the evidence as claims, so that what is judged can no longer change; what the harness captured at the end of the run goes last.
 */
export function completionOf({
  run,
  evidence,
}: {
  run: FinalRun;
  evidence: EvidenceStore;
}): { refusal: string } | { material: CompletionMaterial } {
  if (!run.ok) return { refusal: run.refusal };
  if (run.altered.length > 0) {
    return {
      refusal: `final_runs/run_${run.run} was changed after it was executed: ${run.altered.join('; ')}. Run final_script.mjs again and leave the folder as it is.`,
    };
  }
  const images = run.screenshots.map(shot => itemOf({ shot, run, evidence }));
  const shown = new Set(images.map(item => item.image.sha256));
  const ends = run.evidence.filter(item => item.label === 'end' && !shown.has(item.image.sha256));
  return { material: { images: [...images, ...ends], log: run.log.text, run: run.run } };
}

function itemOf({ shot, run, evidence }: { shot: RunShot; run: FinalRunFound; evidence: EvidenceStore }): EvidenceItem {
  const captured = evidence.items.find(item => item.id === shot.evidenceId);
  if (captured) return captured;
  const label = shot.copiedFromRun === null ? shot.name : `${shot.name} (the same image as in run_${shot.copiedFromRun})`;
  const known = evidence.items.find(item => item.source === 'claim' && item.image.sha256 === shot.sha256 && item.label === label);
  if (known) return known;
  const image = readRegularFile({ path: shot.path, maxBytes: 15_000_000 });
  const bytes = image.ok ? image.bytes : Buffer.alloc(0);
  return evidence.add({ step: run.step ?? 0, source: 'claim', label, bytes, mediaType: shot.mediaType });
}
