/** Webwright's viewport, in pixels; scripts and judges rely on it (webwright.md §7.1). */
export const viewport = { width: 1280, height: 1800 };
