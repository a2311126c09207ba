import { expect, test } from '@playwright/test';
import { defaultTextLimits } from '../../../src/environments/text/environment.ts';
import { forms, maxLines } from '../../../src/environments/text/language.ts';
import { finalRunsFolder, finalScriptName, logName } from '../../../src/environments/workspace/run-names.ts';
import { load, promptStacks, renderAll, shippedFiles, tokensOf } from './shipped.ts';

test('every shipped file is a valid layer', () => {
  for (const file of shippedFiles) expect(() => load([file]), file).not.toThrow();
});

for (const [name, specs] of Object.entries(promptStacks)) {
  for (const variant of [[], ['agent.require_self_reflection_success=false']]) {
    test(`${name} ${variant.join(' ')} renders whole, without holes and without blank runs`, () => {
      for (const [template, text] of Object.entries(renderAll(load([...specs, ...variant]).config))) {
        expect(text, template).not.toMatch(/undefined|null|\[object|NaN|\{\{|\{%/);
        expect(text, template).not.toMatch(/\n\n\n|^\n|[ \t]\n/);
        expect(text.length, template).toBeGreaterThan(10);
      }
    });
  }
}

const system = (...specs: string[]) => renderAll(load(specs).config)['agent.system_template']!;
const workspace = system();
const live = system('local_browser.yaml');
const textRoute = system('text_route.yaml');

test('the prompts stay short', () => {
  expect(tokensOf(workspace)).toBeLessThanOrEqual(1_500);
  expect(tokensOf(live)).toBeLessThanOrEqual(1_000);
  expect(tokensOf(textRoute)).toBeLessThanOrEqual(500);
});

/** webwright.md §7.1: what every system prompt must tell, by a word that cannot be missing from it. */
const everywhere = {
  'one JSON object with the four fields': /JSON object[\s\S]*thought[\s\S]*done[\s\S]*final_response/,
  'done in a turn of its own': /done: true only in a turn of its own/,
  'one action per turn, which may do many things': /per turn, but it may do a lot/,
  'time limit': /ended .*after (240|30) s/,
  'output limit': /(24000|16000) characters/,
  'how exceptions are reported': /exception/i,
  'what persists': /persist|stay as they are/,
  'stable selectors': /getByRole/,
  'never guess': /never guess/i,
  'dedicated controls before search words': /control for something.*use it\. Search words do not replace/,
  superlatives: /Cheapest, newest, best/,
  'exact values': /must be exact; a wider range/,
  'look into drawers': /drawers, accordions/,
  'hidden choices': /hidden in a closed panel/,
  submissions: /must be submitted once, and its confirmation seen/,
  'empty results': /empty result is fine/,
  'missing controls': /prove the point from the content/,
  'blockers only after repeated tries': /only after you tried repeatedly/,
  'asked values in the answer': /every value that was asked for/,
  'judged by the harness': /harness judges|it judges the task/,
  'honest exit': /"Blocked:" and names the obstacle and the steps/,
  'last turn': /In the last one no (command|code) runs/,
};
for (const [rule, pattern] of Object.entries(everywhere)) {
  test(`both prompts say: ${rule}`, () => {
    expect(workspace).toMatch(pattern);
    expect(live).toMatch(pattern);
  });
}

test('the workspace prompt names what the gate reads, and nothing that nobody reads', () => {
  for (const name of [finalScriptName, 'final_script.mjs', finalRunsFolder, 'plan.md']) expect(workspace).toContain(name);
  for (const text of Object.values(renderAll(load([]).config)))
    expect(text).not.toMatch(/judge_result|self_reflect|judge_config|\.py\b|python/i);
  expect(logName).toBe('final_script_log.txt');
});

for (const stack of [[], ['crafted_cli.yaml']]) {
  test(`what the prompt imports is exported: ${stack.join('') || 'base.yaml'}`, async () => {
    const door = Object.keys(await import('../../../src/environments/workspace/script.ts'));
    const imported = [...system(...stack).matchAll(/import \{ (.*) \} from 'playwright-webwright\/script'/g)].flatMap(match =>
      match[1]!.split(', '),
    );
    expect(imported.length).toBeGreaterThan(3);
    expect(door).toEqual(expect.arrayContaining(imported));
  });
}

test('the live prompt names what is in scope', () => {
  for (const name of ['page', 'context', 'browser', 'expect', 'download', 'task', 'state']) expect(live).toContain(`\`${name}\``);
});

test('the prompt of the text route lists every verb and the limits that hold', () => {
  for (const form of Object.values(forms)) expect(textRoute).toContain(`\n- ${form}`);
  expect(textRoute).toContain(`Up to ${maxLines} lines`);
  expect(textRoute).toContain(`at most ${defaultTextLimits.actionTimeoutMs / 1000} s`);
  const { agent, environment } = load(['text_route.yaml']).config;
  expect(environment).toMatchObject({ output_chars: defaultTextLimits.outputChars, observation_chars: defaultTextLimits.observationChars });
  expect(agent).toMatchObject({ step_limit: 12, require_self_reflection_success: false });
});

test('the text observation shows everything that happened', () => {
  const shown = renderAll(load(['text_route.yaml']).config)['model.observation_template, full']!;
  expect(shown).toBe(`Step 1: failed. 99 turns left.
Problem: line 1 (click 2): ElementVanished: …
Read:
Kettle, 24.90
! dialog: alert "Hi" dismissed
Download "prices.csv", 12 bytes:
kettle,24.90
URL: http://shop.localhost/ (HTTP status 404)
Title: Shop
Tabs:
*1 http://shop.localhost/ Shop
 2 http://library.localhost/ Library
In view: 0–720 of 2400 px
Elements:
[1] link "Kettles"
Text:
Shop`);
});

test('the live observation shows everything that happened', () => {
  const shown = renderAll(load(['local_browser.yaml']).config)['model.observation_template, full']!;
  expect(shown).toBe(`Step 1: failed. 99 turns left.
Problem: TimeoutError: …
Returned: 42
Printed:
printed
! dialog: alert "Hi" dismissed
Download "prices.csv", 12 bytes:
kettle,24.90
URL: http://shop.localhost/ (HTTP status 404)
Title: Shop
Tabs (context.pages()):
*0 http://shop.localhost/ Shop
 1 http://library.localhost/ Library
Page:
- heading "Shop"`);
});

test('the workspace observation shows everything that happened', () => {
  const shown = renderAll(load([]).config)['model.observation_template, full']!;
  expect(shown).toBe(`Step 1: failed, return code 1. 99 turns left.
Problem: time limit: …
Note: left running
Final run: final_runs/run_1 is complete
Files changed: plan.md, a.mjs and 3 more
Newest images: final_runs/run_1/screenshots/final_execution_1_list.png
Output (log: logs/step_0001.log):
half of it`);
});

test('with the gate off nothing is promised about looks', () => {
  expect(system('agent.require_self_reflection_success=false')).not.toMatch(/\d looks/);
});

/** webwright.md §7.4. */
for (const [rule, pattern] of Object.entries({
  'parameters and fixed items in the plan': /"# Parameters"[\s\S]*default; and "Fixed" items with the reason/,
  'one exported, documented function': /Exactly one exported function[\s\S]*JSDoc/,
  'a flag per parameter, defaults are the task': /One `--flag` per parameter[\s\S]*without flags does the task/,
  'importable without effect': /Importing the file does nothing/,
  'first log line': /step 0 params:/,
  'checked before done': /agree one to one, and the newest run was made without flags/,
})) {
  test(`crafted_cli says: ${rule}`, () => {
    expect(system('crafted_cli.yaml')).toMatch(pattern);
  });
}
