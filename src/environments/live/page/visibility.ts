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

/** Text that is in the accessibility tree but that a person cannot see: transparent, without size, or clipped away. */
export function isUnseen(element: Element): boolean {
  if (!element.checkVisibility({ opacityProperty: true })) return true;
  const style = getComputedStyle(element);
  if (parseFloat(style.fontSize) < 2) return true;
  if (/^rgba\(.*, 0\)$|^transparent$/.test(style.color)) return true;
  const rect = element.getBoundingClientRect();
  if (rect.right + scrollX < 0 || rect.bottom + scrollY < 0) return true;
  for (let parent: Element | null = element, depth = 0; parent && depth < 3; parent = parent.parentElement, depth += 1) {
    const { overflow, clip, clipPath } = getComputedStyle(parent);
    const box = parent.getBoundingClientRect();
    if (overflow !== 'visible' && (box.width <= 1 || box.height <= 1)) return true;
    if ((clip !== 'auto' && /rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)/.test(clip)) || /inset\((50|100)%/.test(clipPath)) return true;
  }
  return style.color === backgroundOf(element);
}

/** Colour of the nearest opaque background behind the element. */
export function backgroundOf(element: Element): string {
  for (let parent: Element | null = element; parent; parent = parent.parentElement) {
    const style = getComputedStyle(parent);
    if (style.backgroundImage !== 'none') return '';
    if (!/^rgba\(.*, 0\)$|^transparent$/.test(style.backgroundColor)) return style.backgroundColor;
  }
  return 'rgb(255, 255, 255)';
}

/** Whether the box lies outside the viewport. Boxes without size count as inside. */
export function isOffScreen(element: Element): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  if (top === bottom && left === right) return false;
  return bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth;
}
