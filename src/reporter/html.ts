/** Markup that goes into a page as it is. {@link html} makes it; making it by hand is for text that is ours. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Value = Html | string | number | readonly Html[];

/**
 * Markup with every value escaped, in text and in quoted attributes alike; only {@link Html} goes in as it is.
 *
 * @example
 * html`<b title="${'"'}">${'<i>'}</b>`.markup; // '<b title="&quot;">&lt;i&gt;</b>'
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((markup, part, index) => `${markup}${markupOf(values[index - 1]!)}${part}`));
}

function markupOf(value: Value): string {
  if (value instanceof Html) return value.markup;
  if (Array.isArray(value)) return value.map(item => item.markup).join('');
  return escaped(String(value));
}

/** Control characters but for tab and line breaks are shown as �, since no browser shows them. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd')
    .replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
