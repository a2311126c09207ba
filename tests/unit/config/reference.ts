import type { z } from 'zod';
import { configSchema } from '../../../src/config/schema/index.ts';
import { shapeOf, unwrap } from '../../../src/config/schema/validate.ts';
import { load, promptStacks, renderAll, shippedFiles, tokensOf } from './shipped.ts';

/** The parts of docs/configuration.md that are made from the schema, the shipped files and the prompts, by the name of their marker. */
export function referenceParts(): Record<string, string> {
  return { keys: keysPart(), prompts: promptsPart(), files: filesPart() };
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
export function withParts({ text, parts }: { text: string; parts: Record<string, string> }): string {
  return Object.entries(parts).reduce((document, [name, body]) => {
    const marker = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
    if (!marker.test(document)) throw new Error(`docs/configuration.md has no <!-- ${name} --> part`);
    return document.replace(marker, (_, start: string, end: string) => `${start}${body}\n${end}`);
  }, text);
}

function keysPart(): string {
  const defaults = load([]).config as Record<string, Record<string, unknown>>;
  return Object.entries(shapeOf(configSchema)!)
    .map(
      ([section, schema]) =>
        `### \`${section}\`\n\n${schema.description}\n\n| key | value | default | meaning |\n|---|---|---|---|\n${rows({ schema, path: [section], defaults: defaults[section] }).join('\n')}\n`,
    )
    .join('\n');
}

function rows({ schema, path, defaults }: { schema: z.ZodType; path: string[]; defaults: unknown }): string[] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([key, below]) => {
    const at = [...path, key];
    const value = (defaults as Record<string, unknown> | undefined)?.[key];
    const own = `| \`${at.join('.')}\` | ${kindOf(below)} | ${shown(value)} | ${described(below)} |`;
    if (!shapeOf(below)) return [own];
    if (at.join('.') === 'judge.model')
      return [`| \`judge.model.*\` | keys of \`model\`, \`model_class\` to \`image_max_edge_px\` | as the agent | ${described(below)} |`];
    return rows({ schema: below, path: at, defaults: value });
  });
}

function described(schema: z.ZodType): string {
  const text = schema.description ?? unwrap(schema)?.description;
  if (!text) throw new Error('a config key has no description');
  return text.replaceAll('|', '\\|');
}

function kindOf(schema: z.ZodType): string {
  const optional = schema.safeParse(null).success ? ' or null' : '';
  const inner = unwrap(schema)! as z.ZodType & { options?: unknown[] };
  const type = inner.def.type;
  const names: Record<string, string> = { string: 'text', boolean: 'true or false', array: 'list', record: 'map' };
  if (type === 'enum') return (inner.options as string[]).map(option => `\`${option}\``).join(', ') + optional;
  if (type === 'union')
    return `${(inner.options as z.ZodType[]).map(option => (option.def.type === 'enum' ? kindOf(option) : '`module#Export`')).join(', ')}${optional}`;
  if (type === 'number') return (inner.safeParse(1.5).success ? 'number' : 'whole number') + optional;
  return (names[type] ?? type) + optional;
}

function shown(value: unknown): string {
  if (typeof value === 'string' && value.length > 60) return 'in the file';
  return `\`${JSON.stringify(value)}\``;
}

function promptsPart(): string {
  const table = Object.entries(promptStacks).map(([name, specs]) => {
    const texts = renderAll(load(specs).config);
    const tokens = (template: string) => tokensOf(texts[template]!);
    return `| \`${name}\` | ${tokens('agent.system_template')} | ${tokens('agent.summary_prompt')} | ${tokens('model.format_error_template')} |`;
  });
  return ['| stack | system | summary | format error |', '|---|---|---|---|', ...table].join('\n');
}

function filesPart(): string {
  const table = shippedFiles.map(file => {
    const text = load([file]).layers.at(-1)!.text!;
    return `| \`${file}\` | ${text.split('\n')[0]!.replace(/^# /, '')} |`;
  });
  return ['| file | what it is |', '|---|---|', ...table].join('\n');
}
