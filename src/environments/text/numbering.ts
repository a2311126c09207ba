import type { SeenElement } from './page/see.ts';

/** A seen element and where it was seen. */
export type NumberedElement = SeenElement & { frame: number; index: number; inside: string };

/** Elements of one observation, whatever their length. */
const maxElements = 150;
const maxOptions = 12;

/** The elements to show, in the order of the page: when they do not fit into `chars`, those farthest from the viewport are left out. */
export function chooseElements({ elements, chars }: { elements: NumberedElement[]; chars: number }): {
  shown: NumberedElement[];
  omitted: number;
} {
  let left = chars;
  const shown = new Set<NumberedElement>();
  for (const element of [...elements].sort((a, b) => a.far - b.far)) {
    left -= elementLine({ element, number: 100 }).length + 1;
    if (left < 0 || shown.size === maxElements) break;
    shown.add(element);
  }
  return { shown: elements.filter(element => shown.has(element)), omitted: elements.length - shown.size };
}

/**
 * One element as the model reads it; what is disabled has no number.
 *
 * @example
 * elementLine({ element, number: 3 }); // [3] checkbox "In stock" (checked)
 */
export function elementLine({ element, number }: { element: NumberedElement; number: number | null }): string {
  const { role, name, value, placeholder, options, states, inside } = element;
  const more = [
    ...(placeholder ? [`placeholder ${JSON.stringify(placeholder)}`] : []),
    ...states,
    ...(inside ? [`in frame ${JSON.stringify(inside.slice(0, 40))}`] : []),
  ];
  return [
    `[${number ?? '-'}] ${role}`,
    name ? JSON.stringify(name) : '(no name)',
    ...(value === undefined ? [] : [`= ${JSON.stringify(value)}`]),
    ...(more.length > 0 ? [`(${more.join(', ')})`] : []),
    ...(options ? [`options: ${optionList(options)}`] : []),
  ].join(' ');
}

/** Options of a list, so many that a choice can be made. */
export function optionList(options: readonly string[]): string {
  const shown = options.slice(0, maxOptions).map(option => JSON.stringify(option));
  return [...shown, ...(options.length > maxOptions ? [`… ${options.length - maxOptions} more`] : [])].join(' ');
}
