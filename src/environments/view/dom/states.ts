// These functions run inside the page. They are sent there as text, so they use nothing but each other and the DOM.

/** States that stand out, in a fixed order. */
export function statesOf(element: Element, role: string): string[] {
  const states: string[] = [];
  const aria = (name: string) => element.getAttribute(`aria-${name}`);
  const input = element as HTMLInputElement;
  if (role === 'checkbox' || role === 'radio' || role === 'switch' || role === 'menuitemcheckbox' || role === 'menuitemradio') {
    if (input.indeterminate || aria('checked') === 'mixed') states.push('mixed');
    else if ((element.localName === 'input' && input.checked) || aria('checked') === 'true') states.push('checked');
  }
  if (aria('pressed') === 'true') states.push('pressed');
  if (aria('selected') === 'true') states.push('selected');
  if (aria('modal') === 'true' || element.matches('dialog:modal')) states.push('modal');
  const current = aria('current');
  if (current && current !== 'false') states.push('current');
  if (aria('expanded') === 'true' || (element.localName === 'summary' && (element.parentElement as HTMLDetailsElement).open))
    states.push('expanded');
  else if (aria('expanded') === 'false' || element.localName === 'summary') states.push('collapsed');
  if (element.matches(':disabled') || aria('disabled') === 'true') states.push('disabled');
  if (input.readOnly || aria('readonly') === 'true') states.push('read-only');
  if (input.required || aria('required') === 'true') states.push('required');
  if (aria('invalid') === 'true' || (element.matches('input, select, textarea') && element.matches(':user-invalid')))
    states.push('invalid');
  const root = element.getRootNode() as Document | ShadowRoot;
  if (root.activeElement === element && element.localName !== 'body') states.push('focused');
  return states;
}

/** Value of a field as it may be shown; undefined for what is no field. A password is never read. */
export function fieldValueOf(element: Element, role: string): string | undefined {
  const input = element as HTMLInputElement;
  if (element.localName === 'input' && input.type === 'password') return input.value ? '(hidden)' : '';
  if (element.localName === 'select')
    return [...(element as unknown as HTMLSelectElement).selectedOptions].map(option => option.label.trim()).join(', ');
  if (element.localName === 'input' || element.localName === 'textarea') {
    if (/^(textbox|searchbox|combobox|spinbutton|slider)$/.test(role)) return input.value.slice(0, 500);
    return input.type === 'file' ? [...(input.files ?? [])].map(file => file.name).join(', ') : undefined;
  }
  if ((element as HTMLElement).isContentEditable && role === 'textbox') return (element.textContent ?? '').slice(0, 500);
  if (element.localName === 'progress' || element.localName === 'meter') return String(input.value);
  return element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow') ?? undefined;
}
