import { expect, test } from '@playwright/test';
import { fieldsText } from '../../../src/environments/page/fields.ts';

test('fields are lines; of too many the empty ones go first', () => {
  expect(fieldsText([])).toBe('');
  expect(
    fieldsText([
      { role: 'textbox', name: 'Mail\n', value: 'a' },
      { role: 'checkbox', name: 'All', checked: 'mixed' },
    ]),
  ).toBe('textbox "Mail" = "a"\ncheckbox "All" is partly checked');
  const many = Array.from({ length: 200 }, (_, index) => ({ role: 'checkbox', name: `Choice ${index}`, checked: index === 199 }));
  expect(fieldsText(many)).toBe('checkbox "Choice 199" is checked\n(199 more fields, 199 of them empty or unchecked)');
  const filled = Array.from({ length: 200 }, (_, index) => ({ role: 'textbox', name: `Field ${index}`, value: 'x'.repeat(100) }));
  expect(fieldsText(filled).length).toBeLessThan(1_700);
  expect(fieldsText(filled)).toContain('more fields, 0 of them empty');
});
