/** What a refusal says to whoever reads it: the agent, and the author of the task. */
export function refusalText({ host, reason, what = 'is not allowed' }: { host: string; reason: string; what?: string }): string {
  const name = host.replace(/:(80|443)$/, '');
  const remedy = what === 'is not allowed' ? ` The author of the task can allow it: environment.egress_allow=["${name}"].` : '';
  return `${host} ${what}: ${reason}.${remedy}`;
}

/** The same as a page: a browser shows it in place of what was refused. */
export function refusalPage(options: Parameters<typeof refusalText>[0]): string {
  const text = refusalText(options).replace(/[&<>"]/g, letter => `&#${letter.charCodeAt(0)};`);
  return `<!doctype html><title>Refused by the egress policy</title><h1>Refused by the egress policy</h1><p>${text}</p>\n`;
}
