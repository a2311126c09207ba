/**
 * WebArena's `url_match` (reference: benchmarks.md §5.2): alternatives separated by ` |OR| `; a closing slash is ignored; host and path
 * of some reference must be contained in the page's; for every query key of the references, one of their values must be among
 * the page's. Further keys of the page do not matter. Scheme and fragment are not compared.
 *
 * @example
 * matchesWebArenaUrl({ url: 'http://shop.localhost/list?color=blue&page=2', reference: 'http://shop.localhost/list?color=blue' }); // true
 */
export function matchesWebArenaUrl({ url, reference }: { url: string; reference: string }): boolean {
  const page = parts(url);
  const references = reference.split(' |OR| ').map(parts);
  if (!references.some(({ base }) => base !== '' && page.base.includes(base))) return false;
  const wanted = new Map<string, string[]>();
  for (const { query } of references) {
    for (const [key, value] of query) wanted.set(key, [...(wanted.get(key) ?? []), value]);
  }
  return [...wanted].every(([key, values]) => page.query.getAll(key).some(value => values.includes(value)));
}

function parts(url: string): { base: string; query: URLSearchParams } {
  const [beforeFragment = ''] = url.trim().split('#', 1);
  const at = beforeFragment.indexOf('?');
  const address = (at === -1 ? beforeFragment : beforeFragment.slice(0, at)).replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const query = new URLSearchParams(at === -1 ? '' : beforeFragment.slice(at + 1).replace(/\/+$/, ''));
  const slash = address.indexOf('/');
  const host = (slash === -1 ? address : address.slice(0, slash)).toLowerCase();
  const path = slash === -1 ? '' : address.slice(slash);
  // Keys without a value do not count, as in Python's parse_qs.
  for (const [key, value] of [...query]) if (value === '') query.delete(key, '');
  return { base: (host + path).replace(/\/+$/, ''), query };
}
