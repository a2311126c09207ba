import type { CDPSession, Page } from '@playwright/test';
import { withinOr } from '../deadline.ts';
import type { SeenField } from '../view/dom/fields.ts';
import { documentScript } from '../view/dom/script.ts';
import { fieldsText } from './fields.ts';
import { evaluateIsolated } from './isolated-world.ts';

const timeoutMs = 2_000;
const limits = { nodes: 20_000, fields: 300, text: 20_000 };

/** What a page says besides its picture, for judges. */
export interface PageWords {
  title: string;
  /** Visible text. */
  text: string;
  /** Its fields, one a line. */
  fields: string;
}

/**
 * Title, visible text and fields of a page, read at once where its scripts cannot reach (docs/decisions/0006). Without a session, and when the page navigates
 * meanwhile, title and text come through Playwright, and no fields. Empty when the page does not answer.
 *
 * @example
 * await readWords({ page, cdp: tab.cdp }); // { title: 'Log in', text: 'Email\nLog in', fields: 'textbox "Email" = "ada@example.org"' }
 */
export async function readWords({ page, cdp }: { page: Page; cdp: Promise<CDPSession | null> }): Promise<PageWords> {
  const read = cdp.then(session => {
    if (!session) return null;
    const expression = documentScript(limits);
    return evaluateIsolated<{ title: string; text: string; fields: SeenField[] }>({ cdp: session, expression, timeoutMs });
  });
  const found = await withinOr({ promise: read, timeoutMs, otherwise: null });
  if (found) return { ...found, fields: fieldsText(found.fields) };
  const [title, text] = await Promise.all([
    withinOr({ promise: page.title(), timeoutMs, otherwise: '' }),
    // A locator reads in a world that the page cannot patch (DESIGN §9.7).
    withinOr({ promise: page.locator('body').innerText({ timeout: timeoutMs }), timeoutMs, otherwise: '' }),
  ]);
  return { title, text, fields: '' };
}
