import type { z } from 'zod';
import { WebwrightError } from '../../core/errors.ts';
import { didYouMean } from '../did-you-mean.ts';
import { isTree, type Tree } from '../merge.ts';
import { type Config, configSchema } from './index.ts';

/**
 * A merged tree as a typed configuration.
 *
 * @param sources where each dotted key came from, so that an error can say which layer to correct.
 * @throws WebwrightError CONFIG_INVALID for the first thing that is wrong; unknown keys come with a suggestion.
 */
export function validateConfig({ merged, sources }: { merged: Tree; sources: ReadonlyMap<string, string> }): Config {
  const parsed = configSchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues;
  const unknown = issues.find(issue => issue.code === 'unrecognized_keys');
  throw unknown ? unknownKey({ issue: unknown, sources }) : badValue({ issue: issues[0]!, merged, sources });
}

function unknownKey({ issue, sources }: { issue: z.core.$ZodIssueUnrecognizedKeys; sources: ReadonlyMap<string, string> }): WebwrightError {
  const key = [...issue.path, issue.keys[0]!].join('.');
  const siblings = keysAt(issue.path.map(String));
  const all = dottedKeys(configSchema);
  const near =
    all.find(known => known.endsWith(`.${issue.keys[0]}`)) ??
    prefixed(issue.path, didYouMean(issue.keys[0]!, siblings)) ??
    didYouMean(key, all);
  return new WebwrightError({
    code: 'CONFIG_INVALID',
    what: `Unknown config key ${key}`,
    seen: originOf(key, sources),
    remedy: near ? `did you mean ${near}?` : `known here: ${siblings.join(', ')}`,
  });
}

function badValue({
  issue,
  merged,
  sources,
}: {
  issue: z.core.$ZodIssue;
  merged: Tree;
  sources: ReadonlyMap<string, string>;
}): WebwrightError {
  const path = issue.path.map(String);
  const key = path.join('.') || 'config';
  const value = path.reduce<unknown>((at, name) => (isTree(at) ? at[name] : undefined), merged);
  const schema = schemaAt(path);
  const near = typeof value === 'string' ? didYouMean(value, literalsOf(schema)) : undefined;
  const shown =
    /key|token$|password|secret|^env$/.test(path.at(-1) ?? '') || path.includes('env') ? 'a value' : JSON.stringify(value)?.slice(0, 120);
  return new WebwrightError({
    code: 'CONFIG_INVALID',
    what: `Config key ${key}: ${messageOf(issue)}`,
    seen: value === undefined ? 'no value' : `${shown} from ${originOf(key, sources)}`,
    remedy: near ? `did you mean ${near}?` : (schema?.description ?? 'see docs/configuration.md'),
  });
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message;
  const messages = issue.errors.flat().map(each => each.message);
  return messages.findLast(message => message.startsWith('expected')) ?? messages[0] ?? issue.message;
}

function originOf(key: string, sources: ReadonlyMap<string, string>): string {
  const found = sources.get(key) ?? [...sources].findLast(([path]) => path.startsWith(`${key}.`) || key.startsWith(`${path}.`))?.[1];
  return found ?? 'the merged config';
}

function prefixed(path: readonly PropertyKey[], key: string | undefined): string | undefined {
  return key && [...path.map(String), key].join('.');
}

/** Every key of a schema that is not itself a section, with dots. */
export function dottedKeys(schema: z.ZodType, path: string[] = []): string[] {
  const shape = shapeOf(schema);
  return shape ? Object.entries(shape).flatMap(([key, below]) => dottedKeys(below, [...path, key])) : [path.join('.')];
}

function keysAt(path: string[]): string[] {
  return Object.keys(shapeOf(schemaAt(path)) ?? {});
}

function schemaAt(path: string[]): z.ZodType | undefined {
  return path.reduce<z.ZodType | undefined>((schema, key) => schema && shapeOf(schema)?.[key], configSchema);
}

/** The keys of an object schema, through `nullable` and `optional`. */
export function shapeOf(schema: z.ZodType | undefined): Record<string, z.ZodType> | undefined {
  const inner = unwrap(schema);
  return inner && 'shape' in inner ? (inner.shape as Record<string, z.ZodType>) : undefined;
}

/** A schema without its `nullable` and `optional` wrappers. */
export function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  const inner = (schema?.def as { innerType?: z.ZodType } | undefined)?.innerType;
  return inner ? unwrap(inner) : schema;
}

function literalsOf(schema: z.ZodType | undefined): string[] {
  const inner = unwrap(schema);
  const options = (inner as { options?: unknown[] } | undefined)?.options ?? [];
  return options.flatMap(option => (typeof option === 'string' ? [option] : literalsOf(option as z.ZodType)));
}
