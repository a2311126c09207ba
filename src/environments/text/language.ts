/** What the model may do, one line each. Numbers are those of the newest observation. */
export type Action =
  | { verb: 'click'; element: number }
  | { verb: 'type'; element: number; text: string }
  | { verb: 'select'; element: number; option: string }
  | { verb: 'press'; key: string }
  | { verb: 'scroll'; direction: 'up' | 'down' }
  | { verb: 'tab'; tab: number }
  | { verb: 'back' | 'wait' | 'read' };

/** An action with the line it was written as. */
export type ParsedLine = Action & { line: string };

export type ParsedActions = { ok: true; lines: ParsedLine[] } | { ok: false; error: string };

/** Each verb as it is written. The prompt shows the same forms. There is no `goto` on purpose: pages are reached as a person reaches them. */
export const forms: Record<Action['verb'], string> = {
  click: 'click N',
  type: 'type N "text"',
  select: 'select N "option"',
  press: 'press KEY',
  scroll: 'scroll up|down',
  back: 'back',
  tab: 'tab N',
  wait: 'wait',
  read: 'read',
};

/** Most characters of one text, and most lines of one turn. */
export const maxTextChars = 500;
export const maxLines = 10;

const keyPattern =
  /^(?:(?:Control|Shift|Alt|Meta)\+){0,3}(?:Enter|Escape|Tab|Backspace|Delete|Space|Home|End|PageUp|PageDown|Arrow(?:Up|Down|Left|Right)|F(?:[1-9]|1[0-2])|[!-~])$/;

/**
 * The actions of one turn, or one sentence that tells the model what to write instead. `elements` and `tabs` say how many
 * numbers the newest observation gave out.
 *
 * @example
 * parseActions({ code: 'type 1 "kettle"\npress Enter', elements: 4, tabs: 1 }); // two lines
 * parseActions({ code: 'click 9', elements: 4, tabs: 1 }); // error: there is no element 9 …
 */
export function parseActions({ code, elements, tabs }: { code: string; elements: number; tabs: number }): ParsedActions {
  const lines = code
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
  if (lines.length === 0) return refused(`there is no action. ${allForms()}`);
  if (lines.length > maxLines) return refused(`${lines.length} lines are too many: at most ${maxLines} in one turn`);
  const parsed: ParsedLine[] = [];
  for (const [index, line] of lines.entries()) {
    const action = parseLine({ line, elements, tabs });
    if (typeof action === 'string') return refused(`line ${index + 1} (${line.slice(0, 80).toWellFormed()}): ${action}`);
    parsed.push({ ...action, line });
  }
  return { ok: true, lines: parsed };
}

/** The action, or what is wrong with the line. */
function parseLine({ line, elements, tabs }: { line: string; elements: number; tabs: number }): Action | string {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
  if (!Object.hasOwn(forms, word)) return `unknown action. ${allForms()}`;
  const verb = word as Action['verb'];
  const form = `write it as: ${forms[verb]}`;
  switch (verb) {
    case 'click': {
      if (!/^\d+$/.test(rest)) return form;
      return missing({ what: 'element', number: Number(rest), count: elements }) ?? { verb, element: Number(rest) };
    }
    case 'tab': {
      if (!/^\d+$/.test(rest)) return form;
      return missing({ what: 'tab', number: Number(rest), count: tabs }) ?? { verb, tab: Number(rest) };
    }
    case 'type':
    case 'select': {
      const [, digits, quoted = ''] = /^(\d+)\s+(".*")$/.exec(rest) ?? [];
      const text = jsonString(quoted);
      if (digits === undefined || text === undefined) return `${form}, with the escapes of JSON inside the quotes (\\" \\n \\\\)`;
      const element = Number(digits);
      const wrong = missing({ what: 'element', number: element, count: elements });
      if (wrong) return wrong;
      if (text === '')
        return `the text must not be empty${verb === 'type' ? `; to clear a field: click ${element}, press Control+A, press Delete` : ''}`;
      if (text.length > maxTextChars) return `the text has ${text.length} characters; at most ${maxTextChars} are allowed`;
      return verb === 'type' ? { verb, element, text } : { verb, element, option: text };
    }
    case 'press':
      return keyPattern.test(rest)
        ? { verb, key: rest }
        : `${form}, KEY being one character or Enter, Escape, Tab, Space, Backspace, Delete, Home, End, PageUp, PageDown, ArrowUp (Down, Left, Right) or F1–F12, with Control+, Shift+, Alt+ or Meta+ before it`;
    case 'scroll':
      return rest === 'up' || rest === 'down' ? { verb, direction: rest } : form;
    default:
      return rest === '' ? { verb } : form;
  }
}

function missing({ what, number, count }: { what: 'element' | 'tab'; number: number; count: number }): string | undefined {
  if (number >= 1 && number <= count) return undefined;
  const range = count === 0 ? 'none has a number' : count === 1 ? 'only 1 does' : `only 1–${count} do`;
  return `${what} ${number} does not exist, ${range}; take a number of the newest observation`;
}

/** The text of a JSON string literal; undefined for anything else. */
function jsonString(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function allForms(): string {
  return `Allowed, one per line: ${Object.values(forms).join(' · ')}`;
}

function refused(error: string): ParsedActions {
  return { ok: false, error };
}
