import { oneLine } from '../clean-text.ts';
import type { SeenField } from '../view/dom/fields.ts';

const maxChars = 1_500;

/**
 * What stands in the visible fields of a page, for judges: the text of a page does not have it. One field a line, passwords masked, at most 1,500
 * characters, empty and unchecked fields left out first.
 */
export function fieldsText(fields: readonly SeenField[]): string {
  const all = fields.map(field => ({ line: fieldLine(field), isSet: Boolean(field.checked ?? field.value) }));
  const chosen = all.map(({ line }) => line).join('\n').length <= maxChars ? all : all.filter(({ isSet }) => isSet);
  const lines: string[] = [];
  let chars = 0;
  for (const { line } of chosen) {
    chars += line.length + 1;
    if (chars > maxChars) break;
    lines.push(line);
  }
  const left = all.length - lines.length;
  return [...lines, ...(left > 0 ? [`(${left} more fields, ${all.length - chosen.length} of them empty or unchecked)`] : [])].join('\n');
}

function fieldLine({ role, name, value, checked }: SeenField): string {
  const state =
    checked === undefined
      ? `= "${oneLine(value ?? '', 200)}"`
      : checked === 'mixed'
        ? 'is partly checked'
        : checked
          ? 'is checked'
          : 'is not checked';
  return `${role} "${oneLine(name, 80)}" ${state}`;
}
