import { WebwrightError } from '../../core/errors.ts';

export interface VerdictPlaceholders {
  image_reasonings: string;
  action_history_log: string;
}

const names: readonly string[] = ['image_reasonings', 'action_history_log'] satisfies (keyof VerdictPlaceholders)[];
const single = /(?<!\{)\{(?:image_reasonings|action_history_log)\}(?!\})/;
const double = /\{\{\s*(image_reasonings|action_history_log)\s*\}\}/g;
/** `{{ name }}`, doubled braces, `{name}`, or a brace that is neither, in this order. */
const braces = /\{\{\s*(image_reasonings|action_history_log)\s*\}\}|\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

/**
 * Webwright's final user prompt with its placeholders filled. `{name}` is brace formatting: other braces are doubled, and stand single
 * afterwards. `{{ name }}` alone leaves all other braces as they are. Without any placeholder the text is left untouched.
 *
 * @example
 * fillTemplate({ template: 'Seen: {image_reasonings} {{"a": 1}}', values }); // 'Seen: … {"a": 1}'
 */
export function fillTemplate({ template, values }: { template: string; values: VerdictPlaceholders }): string {
  const value = (name: string) => values[name as keyof VerdictPlaceholders];
  if (!single.test(template)) return template.replace(double, (_, name: string) => value(name));
  return template.replace(braces, (brace, doubled?: string, name?: string) => {
    if (doubled !== undefined) return value(doubled);
    if (brace === '{{') return '{';
    if (brace === '}}') return '}';
    if (name !== undefined && names.includes(name.trim())) return value(name.trim());
    throw new WebwrightError({
      code: 'CONFIG_INVALID',
      what:
        name === undefined
          ? 'A single brace in final_verdict_user_prompt'
          : `Unknown placeholder {${name.slice(0, 60)}} in final_verdict_user_prompt`,
      seen: template.slice(0, 120),
      remedy: `placeholders: ${names.map(known => `{${known}}`).join(', ')}; double every other brace`,
    });
  });
}

/** Throws what {@link fillTemplate} would throw, before anything is paid for. */
export function checkTemplate(template: string): void {
  fillTemplate({ template, values: { image_reasonings: '', action_history_log: '' } });
}
