// These functions run inside the page. They are sent there as text, so they use nothing but each other and the DOM.

/** Whether assistive technology skips the element with everything in it. */
export function isSkipped(element: Element): boolean {
  if (element.getAttribute('aria-hidden') === 'true' || element.hasAttribute('inert')) return true;
  const tag = element.localName;
  if (tag === 'script' || tag === 'style' || tag === 'noscript' || tag === 'template' || tag === 'head' || tag === 'datalist') return true;
  if (tag === 'input' && (element as HTMLInputElement).type === 'hidden') return true;
  // `display: contents` has no box of its own; checkVisibility handles it, and `content-visibility`.
  return !element.checkVisibility() && getComputedStyle(element).display !== 'contents';
}

/** `visibility: hidden`: skipped itself, though a child may be visible again. */
export function isInvisible(element: Element): boolean {
  return !element.checkVisibility({ visibilityProperty: true });
}

/**
 * Text that is in the accessibility tree but that a person cannot see: transparent, without size, or clipped away. `seen` remembers
 * backgrounds between calls.
 */
export function isUnseen(element: Element, seen: Map<Element, string>): boolean {
  if (!element.checkVisibility({ opacityProperty: true })) return true;
  const style = getComputedStyle(element);
  if (Number.parseFloat(style.fontSize) < 2) return true;
  const { color } = style;
  if (/^rgba\(.*, 0\)$|^transparent$/.test(color)) return true;
  const rect = element.getBoundingClientRect();
  if (rect.right + scrollX < 0 || rect.bottom + scrollY < 0) return true;
  return (
    isClipped(element) || (element.parentElement !== null && isClipped(element.parentElement)) || color === backgroundOf(element, seen)
  );
}

/** The usual ways to keep text for screen readers only: a box of one pixel, or a clip that leaves nothing. */
export function isClipped(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  if ((width <= 1 || height <= 1) && style.overflow !== 'visible') return true;
  if (style.position !== 'absolute' && style.position !== 'fixed') return false;
  return /^rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)$/.test(style.clip) || /inset\((50|100)%/.test(style.clipPath);
}

/** Colour of the nearest opaque background behind the element; empty behind pictures. */
export function backgroundOf(element: Element, seen: Map<Element, string>): string {
  const known = seen.get(element);
  if (known !== undefined) return known;
  const style = getComputedStyle(element);
  const parent = element.parentElement;
  const own =
    style.backgroundImage !== 'none' ? '' : /^rgba\(.*, 0\)$|^transparent$/.test(style.backgroundColor) ? null : style.backgroundColor;
  const background = own ?? (parent ? backgroundOf(parent, seen) : 'rgb(255, 255, 255)');
  seen.set(element, background);
  return background;
}

/** Whether the box lies outside the viewport. Boxes without size count as inside. */
export function isOffScreen(element: Element): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  if (top === bottom && left === right) return false;
  return bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth;
}
