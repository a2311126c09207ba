import { expect, test } from '@playwright/test';
import { renderTemplate } from '../../../src/config/template.ts';

const render = (template: string, vars: Record<string, unknown> = {}) => renderTemplate({ name: 'agent.system_template', template, vars });

test('values, conditions and loops; one trailing newline is dropped; nothing is escaped', () => {
  const template =
    'Task: {{ task }}\n{% if urls | length %}\nAt:{% for url in urls %} {{ loop.index }}={{ url }}{% endfor %}\n{% endif %}\n\n\n';
  expect(render(template, { task: '<a> & "b"', urls: ['x', 'y'] })).toBe('Task: <a> & "b"\nAt: 1=x 2=y\n');
});

test('a variable may be asked about without being there', () => {
  expect(render('{% if plan is defined %}{{ plan }}{% else %}none{% endif %} {{ other | default("d") }}')).toBe('none d');
});

for (const { template, variable } of [
  { template: 'a\n{{ taks }}', variable: 'taks' },
  { template: '{% if taks %}x{% endif %}', variable: 'taks' },
  { template: '{% for one in taks %}x{% endfor %}', variable: 'taks' },
  { template: '{{ "x" if obs.titel else "y" }}', variable: 'obs.titel' },
  { template: '{{ obs.title | default("d") }}{{ taks | upper }}', variable: 'taks' },
  { template: '{{ missing.deep.value }}', variable: 'missing.deep.value' },
]) {
  test(`undefined: ${template.replace('\n', '⏎')}`, () => {
    const fail = () => render(template, { task: 't', obs: { title: 'T' } });
    expect(fail).toThrow(`The template agent.system_template uses ${variable}, which is not defined`);
  });
}

test('the error suggests the name that was meant, or lists what there is', () => {
  expect(() => render('x\n{{ obs.titel }}', { obs: { title: 'T' } })).toThrow(/line 2: .*\n.*did you mean obs\.title\?/);
  expect(() => render('{{ zzzzzz }}', { task: 't' })).toThrow(/available here: task/);
});

test('null where text is wanted is an error too', () => {
  expect(() => render('{{ task }}', { task: null })).toThrow(/agent\.system_template cannot be rendered/);
});

test('a template that cannot be parsed names itself', () => {
  expect(() => render('{% if task %}', { task: 't' })).toThrow(/agent\.system_template cannot be rendered\n.*seen: .*endif/);
});
