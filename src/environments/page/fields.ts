import type { CDPSession } from '@playwright/test';
import { oneLine } from '../clean-text.ts';
import { withinOr } from '../deadline.ts';
import type { SeenField } from '../view/dom/fields.ts';
import { fieldsScript } from '../view/dom/script.ts';
import { evaluateIsolated } from './isolated-world.ts';

const timeoutMs = 2_000;
const maxChars = 1_500;
const limits = { nodes: 20_000, fields: 300 };

/**
 * What stands in the visible fields of a page, for judges: the text of a page does not have it. One field a line, passwords masked,
 * at most 1,500 characters, empty and unchecked fields left out first. Read where the page's scripts cannot reach
 * (docs/decisions/0006). Empty when there are no fields, or when the page does not answer.
 *
 * @example
 * await readFields({ cdp: tab.cdp }); // 'textbox "Email" = "ada@example.org"\ncheckbox "Newsletter" is checked'
 */
export async function readFields({ cdp }: { cdp: Promise<CDPSession | null> }): Promise<string> {
  const read = cdp.then(session =>
    session ? evaluateIsolated<SeenField[]>({ cdp: session, expression: fieldsScript(limits), timeoutMs }) : [],
  );
  return fieldsText(await withinOr({ promise: read, timeoutMs, otherwise: [] }));
}

/** Fields as lines, within the limit. */
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
