import { z } from 'zod';
import { checkKind, commonFields, show } from './check-kind.ts';
import { isOnHost } from './host.ts';
import { matchesWebArenaUrl } from './webarena-url.ts';

const words = { equals: 'is', includes: 'includes', host: 'is on host', webarena: 'matches (WebArena)' };

/** Address of the page that was in front at the end. `equals` ignores the fragment, a closing slash and the order of query keys. */
export const urlCheck = checkKind({
  kind: 'url',
  schema: z.strictObject({
    ...commonFields,
    kind: z.literal('url'),
    url: z.string().min(1),
    match: z.enum(['equals', 'includes', 'host', 'webarena']).default('equals'),
  }),
  requirement: ({ url, match }) => `the final address ${words[match]} ${url}`,
  run: ({ check: { url, match }, context: { pages } }) => {
    const currentUrl = (pages.find(({ current }) => current) ?? pages.at(-1))?.url ?? '';
    const pass = {
      equals: () => normal(currentUrl) === normal(url),
      includes: () => currentUrl.includes(url),
      host: () => isOnHost({ url: currentUrl, host: URL.canParse(url) ? new URL(url).host : url }),
      webarena: () => matchesWebArenaUrl({ url: currentUrl, reference: url }),
    }[match]();
    return { pass, expected: `${words[match]} ${url}`, seen: show(currentUrl) || '(no page)', evidence: ['final address'] };
  },
});

function normal(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.hash = '';
  url.searchParams.sort();
  url.pathname = url.pathname.replace(/\/+$/, '') || '/';
  return url.href;
}
