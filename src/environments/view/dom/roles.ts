// These functions run inside the page. They are sent there as text, so they use nothing but each other and the DOM.

/** ARIA role of an element as Playwright's getByRole understands it; empty for containers without meaning. */
export function roleOf(element: Element): string {
  const explicit = (element.getAttribute('role') ?? '').trim().split(/\s+/)[0] ?? '';
  if (explicit && explicit !== 'presentation' && explicit !== 'none' && explicit !== 'generic') return explicit;
  return explicit ? '' : implicitRole(element);
}

export function implicitRole(element: Element): string {
  const tag = element.localName;
  switch (tag) {
    case 'a':
    case 'area':
      return element.hasAttribute('href') ? 'link' : '';
    case 'input':
      return inputRole(element as HTMLInputElement);
    case 'select':
      return (element as HTMLSelectElement).multiple || (element as HTMLSelectElement).size > 1 ? 'listbox' : 'combobox';
    case 'header':
    case 'footer':
      return element.closest('article, aside, main, nav, section') ? '' : tag === 'header' ? 'banner' : 'contentinfo';
    case 'section':
    case 'form':
      return element.hasAttribute('aria-label') || element.hasAttribute('aria-labelledby') || element.hasAttribute('title')
        ? tag === 'form'
          ? 'form'
          : 'region'
        : '';
    case 'img':
      return element.getAttribute('alt') === '' && !element.hasAttribute('title') ? '' : 'img';
    case 'th':
      return element.closest('thead') || element.getAttribute('scope') === 'col' ? 'columnheader' : 'rowheader';
    case 'li':
      return 'listitem';
    case 'ul':
    case 'ol':
    case 'menu':
      return 'list';
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return 'heading';
    default:
      return simpleRole(tag);
  }
}

export function inputRole({ type, list }: HTMLInputElement): string {
  switch (type) {
    case 'button':
    case 'submit':
    case 'reset':
    case 'image':
    case 'file':
    case 'color':
      return 'button';
    case 'checkbox':
    case 'radio':
      return type;
    case 'range':
      return 'slider';
    case 'number':
      return 'spinbutton';
    case 'search':
      return list ? 'combobox' : 'searchbox';
    case 'hidden':
      return '';
    default:
      return list ? 'combobox' : 'textbox';
  }
}

export function simpleRole(tag: string): string {
  const roles: Record<string, string> = {
    article: 'article',
    aside: 'complementary',
    button: 'button',
    dialog: 'dialog',
    fieldset: 'group',
    details: 'group',
    figure: 'figure',
    hr: 'separator',
    iframe: 'iframe',
    main: 'main',
    meter: 'meter',
    nav: 'navigation',
    optgroup: 'group',
    option: 'option',
    output: 'status',
    progress: 'progressbar',
    search: 'search',
    summary: 'summary',
    table: 'table',
    td: 'cell',
    textarea: 'textbox',
    tr: 'row',
    canvas: 'canvas',
    video: 'video',
    audio: 'audio',
    svg: 'graphic',
  };
  return roles[tag] ?? '';
}
