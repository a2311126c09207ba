import { expect, test } from '@playwright/test';
import { imagesOf, textOf } from '../../../src/core/messages.ts';
import { parseReflectionConfig } from '../../../src/judge/own-prompts/config.ts';
import { reflectWithOwnPrompts } from '../../../src/judge/own-prompts/reflect.ts';
import { fillTemplate } from '../../../src/judge/own-prompts/template.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { evidence, never } from './judging.ts';

const prompts = {
  image_judge_system_prompt: 'Be harsh.',
  image_judge_user_prompt: 'Task: kettle.',
  final_verdict_system_prompt: 'Decide.',
  final_verdict_user_prompt: 'Seen:\n{image_reasonings}\nLog:\n{action_history_log}\n{{"a": 1}}',
};
const values = { image_reasonings: '1. {seen}', action_history_log: 'step {{1}}' };
const fill = (template: string) => fillTemplate({ template, values });

test('placeholders in both notations; braces in values are text', () => {
  expect(fill('{image_reasonings} {{"a": 1}}')).toBe('1. {seen} {"a": 1}');
  expect(fill('{{ image_reasonings }} {"a": 1}')).toBe('1. {seen} {"a": 1}');
  expect(fill('{{image_reasonings}} {action_history_log}')).toBe('1. {seen} step {{1}}');
  expect(fill('nothing to fill {{"a": 1}}')).toBe('nothing to fill {{"a": 1}}');
});

test('mistakes in a template are found before anything is paid for', () => {
  expect(() => fill('{image_reasonings} {log}')).toThrow(/Unknown placeholder {log}/);
  expect(() => fill('{image_reasonings} {}')).toThrow(/Unknown placeholder {}/);
  expect(() => fill('{image_reasonings} }')).toThrow(/single brace/);
});

test('a config names what is wrong with it', () => {
  const parse = (config: unknown) =>
    parseReflectionConfig({ json: typeof config === 'string' ? config : JSON.stringify(config), read: path => `text of ${path}` });
  expect(parse({ ...prompts, images_path: ['a.png'] })).toEqual({ prompts, images: ['a.png'] });
  const { image_judge_user_prompt: _, ...rest } = prompts;
  expect(parse({ ...rest, image_judge_user_prompt_file: 'p.txt' }).prompts.image_judge_user_prompt).toBe('text of p.txt');
  expect(() => parse(rest)).toThrow(/image_judge_user_prompt is missing/);
  expect(() => parse({ ...prompts, image_judge_user_prompt_file: 'p.txt' })).toThrow(/both given/);
  expect(() => parse({ ...prompts, images: ['a'], images_path: ['b'] })).toThrow(/both given/);
  expect(() => parse({ ...prompts, model: 'x' })).toThrow(/model/);
  expect(() => parse({ ...prompts, final_verdict_user_prompt: '{action_history_log} {oops}' })).toThrow(/oops/);
  expect(() => parse('{')).toThrow(/not JSON/);
  const unreadable = {
    json: JSON.stringify({ ...rest, image_judge_user_prompt_file: 'p.txt' }),
    read: () => {
      throw new Error('ENOENT p.txt');
    },
  };
  expect(() => parseReflectionConfig(unreadable)).toThrow(/ENOENT p.txt/);
});

test('two stages with own prompts, in the output format of Webwright', async ({}, info) => {
  const model = scripted({
    coach: ({ key }) =>
      key.endsWith('verdict')
        ? 'Thoughts: fine.\nStatus: success'
        : key.includes('image-2')
          ? 'no idea'
          : 'Reasoning: blue is on.\nScore: 5',
  });
  const images = ['e1', 'e2'].map(id => evidence(info.outputDir, id).image);
  const output = await reflectWithOwnPrompts({ model, prompts, images, log: 'step 1 action', signal: never });
  expect(output).toMatchObject({
    predicted_label: 1,
    final_response: 'Thoughts: fine.\nStatus: success',
    final_user_text: 'Seen:\n1. blue is on.\n2. \nLog:\nstep 1 action\n{"a": 1}',
    final_system_msg: 'Decide.',
    image_paths: images.map(({ path }) => path),
    image_records: [
      { Score: 5, Reasoning: 'blue is on.', Attempts: 1, ParseFailed: false },
      { Score: 0, Response: 'no idea', Reasoning: '', Attempts: 3, ParseFailed: true, ParseError: expect.any(String) },
    ],
  });
  const last = model.requests.at(-1)!;
  expect(last.schema).toBeUndefined();
  expect(textOf(last.messages[0]!)).toBe('Decide.');
  expect(imagesOf(last.messages[1]!)).toHaveLength(2);
});

test('a verdict that cannot be read is null', async () => {
  const model = scripted({ coach: () => 'Well done.' });
  expect(await reflectWithOwnPrompts({ model, prompts, images: [], log: '', signal: never })).toMatchObject({ predicted_label: null });
});
