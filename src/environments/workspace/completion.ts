import type { CompletionMaterial, EvidenceItem } from '../../core/evidence.ts';
import type { EvidenceStore } from '../../record/evidence.ts';
import { imageTypeOf } from './image-type.ts';
import { readRegularFile } from './read-regular-file.ts';
import type { FinalRun, FinalRunFound, RunShot } from './run.ts';
import { runLimits } from './run-files.ts';

const again = 'Run node final_script.mjs again and leave the folder as it is.';

/**
 * What stands behind a `done`: the screenshots and the log of the newest run, or what is missing. Images that the agent made are copied
 * into the evidence as claims, so that what is judged can no longer change; what the harness captured at the end of the run goes last.
 */
export function completionOf({
  run,
  evidence,
  claimsSuffice,
}: {
  run: FinalRun;
  evidence: EvidenceStore;
  /** Scripts have browsers of their own, and the harness can take no pictures. */
  claimsSuffice: boolean;
}): { refusal: string } | { material: CompletionMaterial } {
  if (!run.ok) return { refusal: run.refusal };
  const name = `final_runs/run_${run.run}`;
  if (run.altered.length > 0) return { refusal: `${name} was changed after it was executed: ${run.altered.join('; ')}. ${again}` };
  if (!claimsSuffice && run.evidence.length === 0) {
    const copies = run.screenshots.filter(({ copiedFrom }) => copiedFrom);
    const seen = copies.map(shot => `screenshots/${shot.name} is the image of ${shot.copiedFrom}`);
    return {
      refusal: `The harness took no picture in ${name}, so nothing in it is proven: pictures that a script makes or copies are claims${seen.length > 0 ? ` (${seen.join('; ')})` : ''}. Use the page that open() gives and shot() in final_script.mjs, then run it again.`,
    };
  }
  const broken = run.screenshots.find(shot => shot.source === 'claim' && !imageTypeOf(bytesOf(shot)));
  if (broken)
    return { refusal: `${name}/screenshots/${broken.name} is no PNG, JPEG or WebP image, and no judge could be shown it. ${again}` };

  const images = run.screenshots.map(shot => itemOf({ shot, run, evidence }));
  const shown = new Set(images.map(item => item.image.sha256));
  const ends = run.evidence.filter(item => item.label === 'end' && !shown.has(item.image.sha256));
  return {
    material: { images: [...images, ...ends], downloads: run.downloads, log: run.log.text, run: run.run, scriptSha256: run.script.sha256 },
  };
}

function itemOf({ shot, run, evidence }: { shot: RunShot; run: FinalRunFound; evidence: EvidenceStore }): EvidenceItem {
  const captured = evidence.items.find(item => item.id === shot.evidenceId);
  if (captured) {
    // The last state of the page may be the same picture; the script's own name says what it is to prove.
    const named = run.evidence.find(item => item.image.sha256 === captured.image.sha256 && item.label !== 'end');
    return named ? { ...captured, label: named.label } : captured;
  }
  const label = shot.copiedFrom === null ? shot.name : `${shot.name} (the same image as in ${shot.copiedFrom})`;
  const known = evidence.items.find(item => item.source === 'claim' && item.image.sha256 === shot.sha256 && item.label === label);
  if (known) return known;
  const bytes = bytesOf(shot);
  return evidence.add({ step: run.step ?? 0, source: 'claim', label, bytes, mediaType: imageTypeOf(bytes) ?? shot.mediaType });
}

function bytesOf({ path }: RunShot): Buffer {
  const image = readRegularFile({ path, maxBytes: runLimits.imageBytes });
  return image.ok ? image.bytes : Buffer.alloc(0);
}
