import { z } from 'zod';
import { WebwrightError } from '../../core/errors.ts';
import { checkTemplate } from './template.ts';

/** The four prompts of a person's own judge, by their names in Webwright's config (reference: webwright.md §5.3). */
export const promptFields = [
  'image_judge_system_prompt',
  'image_judge_user_prompt',
  'final_verdict_system_prompt',
  'final_verdict_user_prompt',
] as const;

export type OwnPrompts = Record<(typeof promptFields)[number], string>;

export interface ReflectionConfig {
  prompts: OwnPrompts;
  /** Paths as written; empty: look for the newest run. */
  images: string[];
}

const text = z.string().trim().min(1).optional();
const schema = z.strictObject({
  ...(Object.fromEntries(promptFields.flatMap(name => [name, `${name}_file`].map(key => [key, text]))) as Record<string, typeof text>),
  images: z.array(z.string().min(1)).optional(),
  images_path: z.array(z.string().min(1)).optional(),
});

/**
 * A self-reflection config, checked before anything is paid for. Each prompt is given as text or as `<field>_file`; `read` reads such a file.
 * Throws a {@link WebwrightError} (`CONFIG_INVALID`) that names the field. This config never decides the gate.
 *
 * @example
 * parseReflectionConfig({ json: await readFile('self_reflect_config.json', 'utf8'), read: path => readFileSync(path, 'utf8') }).images;
 */
export function parseReflectionConfig({ json, read }: { json: string; read: (path: string) => string }): ReflectionConfig {
  const parsed = schema.safeParse(jsonOf(json));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid({
      what: `${issue!.path.join('.') || 'config'}: ${issue!.message}`,
      remedy: `fields: ${promptFields.join(', ')}, images`,
    });
  }
  const {
    images,
    images_path: alias,
    ...fields
  } = parsed.data as { images?: string[]; images_path?: string[] } & Record<string, string | undefined>;
  if (images && alias) throw invalid({ what: 'images and images_path are both given', remedy: 'keep one of them' });
  const prompts = Object.fromEntries(promptFields.map(name => [name, promptOf({ name, fields, read })])) as OwnPrompts;
  checkTemplate(prompts.final_verdict_user_prompt);
  return { prompts, images: images ?? alias ?? [] };
}

function promptOf({ name, fields, read }: { name: string; fields: Record<string, unknown>; read: (path: string) => string }): string {
  const value = fields[name] as string | undefined;
  const file = fields[`${name}_file`] as string | undefined;
  if (value !== undefined && file !== undefined)
    throw invalid({ what: `${name} and ${name}_file are both given`, remedy: 'keep one of them' });
  if (value !== undefined) return value;
  if (file === undefined) throw invalid({ what: `${name} is missing`, remedy: `add it, or ${name}_file with a path` });
  try {
    return read(file);
  } catch (error) {
    throw invalid({
      what: `${name}_file cannot be read`,
      seen: (error as Error).message,
      remedy: 'paths are relative to the current folder',
    });
  }
}

function jsonOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw invalid({ what: 'not JSON', seen: (error as Error).message, remedy: 'write one JSON object' });
  }
}

function invalid({ what, ...rest }: { what: string; seen?: string; remedy: string }): WebwrightError {
  return new WebwrightError({ code: 'CONFIG_INVALID', what: `Self-reflection config: ${what}`, ...rest });
}
