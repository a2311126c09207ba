/** Addresses whose content the agent may have written itself: they show something, they prove nothing (reference: reliability.md §6.5 I7). */
export function isSelfMade(url: string): boolean {
  return /^(?:data|blob|javascript):/i.test(url);
}
