/** The host of an address as tasks name it: lower case, without `www.`; with the port only when `withPort`. Empty where there is none. */
export function hostOf({ url, withPort = false }: { url: string; withPort?: boolean }): string {
  if (!URL.canParse(url)) return '';
  const { host, hostname } = new URL(url);
  return bareHost(withPort ? host : hostname);
}

/** True when an address lies on the host that a task names (`shop.localhost`, `example.com:8080`). Subdomains are other hosts, `www.` is not. */
export function isOnHost({ url, host }: { url: string; host: string }): boolean {
  const wanted = bareHost(host);
  return wanted !== '' && hostOf({ url, withPort: wanted.includes(':') }) === wanted;
}

function bareHost(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^www\./, '');
}
