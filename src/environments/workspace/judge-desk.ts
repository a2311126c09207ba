import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { JudgeDesk } from '../../core/environment.ts';
import type { ImagePart } from '../../core/messages.ts';
import type { BrokerHandler } from './broker.ts';
import { imageTypeOf } from './image-type.ts';
import { isInside } from './listing.ts';
import { readRegularFile } from './read-regular-file.ts';

const maxImages = 10;
const maxImageBytes = 15_000_000;

/**
 * `webwright self-reflection` and `webwright image-qa` as commands see them: text for stdout and Webwright's exit codes (webwright.md
 * §5.2, §5.3): 0 only for predicted_label 1, 1 for anything else, 2 for a wrong question.
 */
export function judgeHandlers({
  desk,
  workspace,
  imageFolder,
  note,
}: {
  /** Absent while the attempt has no judges. */
  desk: () => JudgeDesk | undefined;
  workspace: string;
  /** A folder of the harness for the images that are asked about: what is judged cannot change any more. */
  imageFolder: string;
  note: (text: string) => void;
}): Record<string, BrokerHandler> {
  const noDesk = { exitCode: 2, stderr: 'This attempt has no judge that could be asked; send done when the work is finished.' };
  return {
    async 'self-reflection'({ run, ignored }) {
      if (typeof ignored === 'string' && ignored)
        note(`self-reflection was asked with ${ignored.slice(0, 200)}; prompts, points and thresholds are the harness's`);
      const judges = desk();
      if (!judges) return noDesk;
      if (run !== undefined && (typeof run !== 'number' || !Number.isSafeInteger(run)))
        return { exitCode: 2, stderr: '--run takes the number of a run' };
      const answer = await judges.selfReflection(run === undefined ? {} : { run });
      if ('refusal' in answer) return { exitCode: 1, stderr: answer.refusal };
      const { predicted_label, reasons, look, run: judged } = answer.verdict;
      return {
        exitCode: predicted_label === 1 ? 0 : 1,
        stdout: JSON.stringify({ predicted_label, reasons, run: judged, look }, null, 2),
        stderr: `Status: ${predicted_label === 1 ? 'success' : 'failure'}`,
      };
    },
    async 'image-qa'({ images, question }) {
      const judges = desk();
      if (!judges) return noDesk;
      if (typeof question !== 'string' || question.trim() === '') return { exitCode: 2, stderr: '--question is missing' };
      if (!Array.isArray(images) || images.length === 0 || images.length > maxImages)
        return { exitCode: 2, stderr: `--image is missing, or there are more than ${maxImages}` };
      const parts: ImagePart[] = [];
      for (const name of images) {
        const read = readImage({ name: String(name), workspace, imageFolder });
        if ('problem' in read) return { exitCode: 2, stderr: read.problem };
        parts.push(read);
      }
      const answer = await judges.imageQa({ images: parts, question });
      const paths = images.map(String);
      return {
        exitCode: 0,
        stdout: JSON.stringify({ image_paths: paths, ...(paths.length === 1 && { image_path: paths[0] }), question, ...answer }, null, 2),
      };
    },
  };
}

function readImage({
  name,
  workspace,
  imageFolder,
}: {
  name: string;
  workspace: string;
  imageFolder: string;
}): ImagePart | { problem: string } {
  const path = resolve(workspace, name);
  const bytes = isInside({ path: realFolder(path), folder: realpathSync(workspace) })
    ? readRegularFile({ path, maxBytes: maxImageBytes })
    : undefined;
  if (!bytes) return { problem: `${name} is not in the workspace` };
  if (!bytes.ok) return { problem: `${name}: ${bytes.why === 'missing' ? 'no such file' : bytes.why.replaceAll('-', ' ')}` };
  const mediaType = imageTypeOf(bytes.bytes);
  if (!mediaType) return { problem: `${name} is not a PNG, JPEG or WebP image` };
  const sha256 = createHash('sha256').update(bytes.bytes).digest('hex');
  mkdirSync(imageFolder, { recursive: true, mode: 0o700 });
  const copy = join(imageFolder, `${sha256.slice(0, 16)}.${mediaType.slice('image/'.length)}`);
  writeFileSync(copy, bytes.bytes);
  return { type: 'image', path: copy, mediaType, sha256 };
}

/** The real path of a file's folder, with the file's own name; the file itself is opened without following links. */
function realFolder(path: string): string {
  try {
    return join(realpathSync(join(path, '..')), basename(path));
  } catch {
    return '/';
  }
}
