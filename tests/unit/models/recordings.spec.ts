import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import type { Message, Part } from '../../../src/core/messages.ts';
import type { Model, ModelRequest } from '../../../src/core/model.ts';
import { createRedactor } from '../../../src/core/redact.ts';
import { type RecordedModelOptions, recordedModel } from '../../../src/models/recorded.ts';
import { parseRecording } from '../../../src/models/recording-file.ts';
import { scripted } from '../../../src/models/scripted.ts';

const test = base.extend<{ file: string }>({
  file: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'recording-'));
    await use(join(folder, 'recordings', 'kettle.yaml'));
    rmSync(folder, { recursive: true });
  },
});

const say = (role: Message['role'], content: string | Part[]): Message => ({ role, content, extra: {} });
const image = (sha256: string) => ({ type: 'image', path: '/x.png', mediaType: 'image/png', sha256 }) as const;
const system = say('system', 'You drive a browser.\nBe brief.');
const task = say('user', 'Find the cheapest blue kettle.');
const turn = { thought: 'Look.', playwright_code: "await page.goto('/');\nawait page.click('a');", done: false, final_response: '' };
const seen = say('user', [{ type: 'text', text: 'URL: http://shop.localhost\n- link "Blue kettle £24.90"' }, image('a'.repeat(64))]);

/** The conversation of a two-step attempt, as the loop sends it. */
const conversation: Partial<ModelRequest>[] = [
  { key: 'step-1', messages: [system, task] },
  { key: 'step-2', messages: [system, task, say('assistant', JSON.stringify(turn)), seen] },
  { role: 'coach', key: 'look-1', messages: [say('system', 'You judge.'), task, seen] },
];
const script = {
  agent: [
    turn,
    {
      text: 'The answer is\n£24.90.',
      usage: { inputTokens: 900, cachedInputTokens: 700, cacheWriteTokens: 0, outputTokens: 20, reasoningTokens: 5 },
    },
  ],
  coach: ['Status: success'],
};

const ask = (model: Model, fields: Partial<ModelRequest>) =>
  model.complete({ role: 'agent', key: 'step-1', messages: [system, task], signal: new AbortController().signal, ...fields });
const askAll = async (model: Model, requests = conversation) => {
  const replies = [];
  for (const request of requests) replies.push(await ask(model, request));
  return replies;
};
const byHand = { source: 'scripted', by: 'tests', date: '2026-11-30' } as const;
const options = (file: string, more: Partial<RecordedModelOptions> = {}): RecordedModelOptions => ({
  file,
  task: 'kettle',
  mode: 'replay',
  strict: true,
  ...more,
});

async function record(file: string, more: Partial<RecordedModelOptions> = {}, requests = conversation) {
  const model = recordedModel(options(file, { mode: 'record', live: scripted(script), provenance: byHand, ...more }));
  await askAll(model, requests);
  model.close();
  return readFileSync(file, 'utf8');
}

test('a recording replays itself: same texts, usage and finish reason, no cost, labelled replayed', async ({ file }) => {
  await record(file);
  const model = recordedModel(options(file));
  const replies = await askAll(model);
  expect(replies[0]).toEqual({
    text: JSON.stringify(turn),
    usage: { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 },
    finishReason: 'stop',
    model: 'scripted',
    costUsd: 0,
    durationMs: 0,
    attempts: 0,
    source: 'replayed',
  });
  expect(replies[1]).toMatchObject({ text: 'The answer is\n£24.90.', usage: { inputTokens: 900, cachedInputTokens: 700 } });
  expect(model.stale).toBe(false);
  expect(model.unusedEntries()).toEqual([]);
  expect(model.provenance).toEqual(byHand);
});

test('the file is deterministic, shows code line by line and every text once', async ({ file }) => {
  const text = await record(file);
  expect(await record(file)).toBe(text);
  expect(text).toContain("        playwright_code: |-\n          await page.goto('/');\n          await page.click('a');\n");
  expect(text.match(/Be brief/g)).toHaveLength(1);
  expect(text).toContain('after: agent step-1\n    prompt:\n      - same: 0-1\n      - reply: true\n');
  expect(readdirSync(join(file, '..'))).toEqual(['kettle.yaml']);
});

test('a pruned history stores only what the pruning changed', async ({ file }) => {
  const long = say('user', 'An observation of many words. '.repeat(20));
  const without = say('user', [(seen.content as Part[])[0]!, { type: 'text', text: '[screenshot left out]' }]);
  const text = await record(file, { live: scripted(() => 'ok') }, [
    { key: 'step-1', messages: [system, task, seen, long] },
    { key: 'step-2', messages: [system, task, without, long] },
  ]);
  expect(text).toContain('prompt:\n      - same: 0-2\n      - more: "[screenshot left out]"\n      - same: "4"\n');
});

test('texts that YAML could bend survive', async ({ file }) => {
  const nasty = [
    'a\r\nb',
    ' lead\n',
    'x \n\n',
    '---\n# c',
    '\u2028\n\u0000',
    'null',
    '{"a":1,"a":2}',
    '{ "b": 1 }',
    '{"2":1,"1":2}',
    '{"__proto__":1}',
    '{"n":1e21,"e":"","s":" \\n"}',
    '[1]',
    '⟦x⟧',
  ];
  const requests = nasty.map((text, index) => ({ key: `k${index}`, messages: [say('user', text)] }));
  await record(file, { live: scripted(nasty) }, requests);
  const model = recordedModel(options(file));
  expect((await askAll(model, requests)).map(({ text }) => text)).toEqual(nasty);
  expect(model.stale).toBe(false);
});

test('parallel calls are written in the order they began', async ({ file }) => {
  const finish: Record<string, (text: string) => void> = {};
  const live = scripted({ coach: ({ key }) => new Promise<string>(resolve => Object.assign(finish, { [key]: resolve })) });
  const model = recordedModel(options(file, { mode: 'record', live, provenance: byHand }));
  const both = [ask(model, { role: 'coach', key: 'a' }), ask(model, { role: 'coach', key: 'b' })];
  finish['b']!('second');
  await both[1];
  finish['a']!('first');
  await both[0];
  model.close();
  expect(parseRecording({ text: readFileSync(file, 'utf8'), path: file }).calls.map(({ key }) => key)).toEqual(['a', 'b']);
});

test('a key that occurs twice has two entries, used in order', async ({ file }) => {
  const twice = [{ key: 'step-1' }, { key: 'step-1' }];
  await record(file, { live: scripted(['one', 'two']) }, twice);
  const model = recordedModel(options(file));
  await ask(model, { key: 'step-1' });
  expect(model.unusedEntries()).toEqual(['agent step-1 #2']);
  expect((await ask(model, { key: 'step-1' })).text).toBe('two');
  await expect(ask(model, { key: 'step-1' })).rejects.toMatchObject({ failure: 'recording' });
});

test('a changed prompt replays, is stale, and shows the first lines that differ', async ({ file }) => {
  await record(file);
  const notes: string[] = [];
  const model = recordedModel(options(file, { onEvent: event => event.type === 'note' && notes.push(`${event.step} ${event.text}`) }));
  const changed = say('user', 'Find the cheapest red kettle.');
  expect((await ask(model, { key: 'step-2', messages: [system, changed] })).text).toContain('£24.90');
  expect(model.stale).toBe(true);
  // The same difference is told once.
  await ask(model, { key: 'step-1', messages: [system, changed] }).catch(() => {});
  await ask(model, { role: 'coach', key: 'look-1', messages: [system, changed] });
  expect(notes.splice(1).map(text => text.slice(0, 27))).toEqual(['1 recording: agent step-1: ', '0 recording: coach look-1: ']);
  expect(notes).toEqual([
    '2 recording: agent step-2: the prompt has changed since the recording was made; user message 2, line 1:\n' +
      '  - Find the cheapest blue kettle.\n' +
      `  - ${JSON.stringify(turn)}\n`.slice(0, 165) +
      '  - URL: http://shop.localhost\n' +
      '  + Find the cheapest red kettle.',
  ]);
});

test('a changed schema is stale; another image is only a warning, said once', async ({ file }) => {
  const requests = [1, 2].map(n => ({ key: `step-${n}`, messages: [seen], schema: { name: 'turn', schema: { type: 'object' } } }));
  await record(file, {}, requests);
  const notes: string[] = [];
  const model = recordedModel(options(file, { onEvent: event => event.type === 'note' && notes.push(event.text) }));
  const other = say('user', [(seen.content as Part[])[0]!, image('b'.repeat(64))]);
  for (const request of requests) await ask(model, { ...request, messages: [other] });
  expect(model.changedImages).toEqual(['agent step-1', 'agent step-2']);
  expect(model.stale).toBe(false);
  expect(notes).toHaveLength(1);

  const again = recordedModel(options(file, { onEvent: event => event.type === 'note' && notes.push(event.text) }));
  await ask(again, { ...requests[0], schema: { name: 'turn', schema: { type: 'string' } } });
  expect(again.stale).toBe(true);
  expect(notes[1]).toMatch(/the reply schema changed: turn [0-9a-f]{16} → turn [0-9a-f]{16}$/);
});

test('an unknown call fails with the nearest entry, where it differs, and what to type', async ({ file }) => {
  await record(file);
  const model = recordedModel(options(file));
  const error = ask(model, { key: 'step-12', messages: [system, say('user', 'Other task.')] });
  await expect(error).rejects.toMatchObject({ failure: 'recording' });
  await expect(error).rejects.toThrow(
    /no call "agent step-12"\n {2}seen: nearest entry "agent step-1"; user message 2, line 1:\n {2}- Find the .*\n {2}\+ Other task\.\n {2}try: {2}WEBWRIGHT_RECORD=auto/,
  );
  // The same prompt under another name beats a similar name.
  await expect(ask(model, { key: 'step-2/repair-1', messages: [system, task] })).rejects.toThrow(
    'nearest entry "agent step-1", with the same prompt',
  );
  await expect(ask(model, { role: 'grader', key: 'item-R1', messages: [] })).rejects.toThrow('no calls of role grader, 3 in all');
});

test('an unknown call goes live only when not strict, and says so', async ({ file }) => {
  await record(file);
  const live = scripted(['from live']);
  const notes: string[] = [];
  const lax = recordedModel(options(file, { strict: false, live, onEvent: event => event.type === 'note' && notes.push(event.text) }));
  expect((await ask(lax, { key: 'step-9' })).text).toBe('from live');
  expect(notes).toEqual(['recording: agent step-9: not recorded; asked the live model']);
  for (const mode of ['replay', 'auto'] as const) {
    const strict = recordedModel(options(file, { mode, live, provenance: byHand }));
    await expect(ask(strict, { key: 'step-9' })).rejects.toMatchObject({ failure: 'recording' });
  }
  expect(live.requests).toHaveLength(1);
});

test('auto replays what is there and adds what is missing', async ({ file }) => {
  await record(file, {}, conversation.slice(0, 1));
  const live = scripted({ agent: ['second'], coach: ['Status: failure'] });
  const model = recordedModel(
    options(file, { mode: 'auto', strict: false, live, provenance: { ...byHand, by: 'others', date: '2026-12-01' } }),
  );
  expect((await askAll(model)).map(({ source }) => source)).toEqual(['replayed', 'scripted', 'scripted']);
  model.close();
  const replayed = recordedModel(options(file));
  expect((await askAll(replayed)).map(({ text }) => text)).toEqual([JSON.stringify(turn), 'second', 'Status: failure']);
  expect(replayed.provenance).toEqual({ source: 'scripted', by: 'tests; others', date: '2026-12-01' });
});

test('values of the run are stored by name and put back on replay', async ({ file }) => {
  const requests = (folder: string) => [{ key: 'step-1', messages: [say('user', `cwd ${folder}/work, port 4001`)] }];
  const text = await record(
    file,
    { live: scripted([{ bash_command: 'ls /tmp/run-1/work' }]), volatile: () => ({ folder: '/tmp/run-1', work: '/tmp/run-1/work' }) },
    requests('/tmp/run-1'),
  );
  expect(text).not.toContain('/tmp');
  const model = recordedModel(options(file, { volatile: { folder: '/var/2', work: '/var/2/work' } }));
  const [reply] = await askAll(model, requests('/var/2'));
  expect(reply!.text).toBe('{"bash_command":"ls /var/2/work"}');
  expect(model.stale).toBe(false);
});

test('secrets never reach the file', async ({ file }) => {
  const secret = 'sk-canary-1234';
  const redact = createRedactor({ secrets: [{ name: 'KEY', value: secret }] });
  const live = scripted([{ text: `I saw ${secret}`, model: `m-${secret}` }]);
  const text = await record(file, { redact, live }, [
    { key: 'step-1', messages: [say('user', `env ${Buffer.from(secret).toString('hex')}`)] },
  ]);
  expect(redact(text)).toBe(text);
  expect(text.match(/\[redacted:KEY\]/g)).toHaveLength(3);
  await expect(record(file, { redact, live: scripted(['x']) }, [{ key: secret }])).rejects.toThrow('a secret is left in it');
});

test('an aborted call answers nothing', async ({ file }) => {
  await record(file);
  await expect(ask(recordedModel(options(file)), { signal: AbortSignal.abort() })).rejects.toMatchObject({ failure: 'aborted' });
});

test.describe('tampering', () => {
  const edits: [string, (text: string) => string, string][] = [
    ['a reply', text => text.replace('Status: success', 'Status: failure'), 'in entry "coach look-1"'],
    ['code', text => text.replace("click('a')", "click('b')"), 'in entry "agent step-1"'],
    ['a prompt', text => text.replace('Be brief', 'Be long'), 'in entry "agent step-1"'],
    ['usage', text => text.replace('inputTokens: 900', 'inputTokens: 901'), 'in entry "agent step-2"'],
    ['the provenance', text => text.replace('by: tests', 'by: nobody'), 'in its header'],
    ['a removed entry', text => text.slice(0, text.indexOf('  - role: coach')), 'adding, removing or moving'],
    ['cut off', text => text.slice(0, text.length - 8), 'entries.2.seal'],
    ['not YAML', text => text.replace('entries:', 'entries: {'), 'is not valid YAML'],
    ['an unknown field', text => text.replace('task: kettle', 'task: kettle\nx: 1'), 'Unrecognized key: "x"'],
    ['another version', text => text.replace('schemaVersion: 1', 'schemaVersion: 9'), 'another format version'],
    [
      'a dangling reference',
      text => text.replace(/^seal: .*\n/m, '').replace('after: agent step-1', 'after: agent step-7'),
      'refers to something',
    ],
    [
      'two replies',
      text =>
        text
          .replace(/^seal: .*\n/m, '')
          .replace('text: "Status: success"', 'text: a\n      json: {}')
          .replace('text: Status', 'text: a\n      json: {}\n      # '),
      'no reply, or two',
    ],
  ];
  for (const [name, edit, expected] of edits) {
    test(`${name}: an error that names the place and the remedy`, async ({ file }) => {
      const text = await record(file);
      expect(edit(text)).not.toBe(text);
      writeFileSync(file, edit(text));
      expect(() => recordedModel(options(file))).toThrow(expected);
      expect(() => recordedModel(options(file))).toThrow('WEBWRIGHT_RECORD=record');
    });
  }

  test('without its seal a recording may be edited, and counts as scripted', async ({ file }) => {
    const live: Model = {
      ...scripted([]),
      complete: async () => ({
        ...(await scripted(['hello']).complete({ role: 'agent', key: 'k', messages: [], signal: new AbortController().signal })),
        source: 'live',
        model: 'gpt-x',
      }),
    };
    const text = await record(file, { live, provenance: { source: 'live', endpoint: 'openai', date: '2026-11-30' } }, [{ key: 'step-1' }]);
    const provenance = { source: 'live', model: 'gpt-x', endpoint: 'openai', date: '2026-11-30' };
    expect(recordedModel(options(file)).provenance).toEqual(provenance);
    writeFileSync(file, text.replace(/^seal: .*\n/m, '').replace('hello', 'goodbye'));
    const model = recordedModel(options(file));
    expect((await ask(model, {})).text).toBe('goodbye');
    expect(model.provenance).toEqual({ source: 'scripted', by: 'edited by hand', date: '2026-11-30', editedFrom: provenance });
  });

  test('a scripted reply cannot be recorded as live', async ({ file }) => {
    await expect(record(file, { provenance: { source: 'live', endpoint: 'openai', date: '2026-11-30' } })).rejects.toThrow(
      'cannot be recorded as live',
    );
    expect(existsSync(file)).toBe(false);
  });

  test("a missing file, another task's file, and nothing to record from", async ({ file }) => {
    expect(() => recordedModel(options(file))).toThrow('cannot be read');
    expect(() => recordedModel(options(file, { mode: 'auto' }))).toThrow('needs a model to record');
    await record(file);
    expect(() => recordedModel(options(file, { task: 'toaster' }))).toThrow('kettle, not toaster');
  });
});

test('a recording that got no reply half-way leaves the old one and stands beside it', async ({ file }) => {
  const text = await record(file);
  const notes: string[] = [];
  const onEvent: RecordedModelOptions['onEvent'] = event => event.type === 'note' && notes.push(event.text);
  const model = recordedModel(options(file, { mode: 'record', live: scripted(['one']), provenance: byHand, onEvent }));
  await ask(model, { key: 'step-1' });
  await expect(ask(model, { key: 'step-2' })).rejects.toThrow();
  model.close();
  expect(readFileSync(file, 'utf8')).toBe(text);
  const incomplete = file.replace('.yaml', '.incomplete.yaml');
  expect((await ask(recordedModel(options(incomplete)), { key: 'step-1' })).text).toBe('one');
  expect(notes).toEqual([`recording: 1 calls got no reply; what there is went to ${incomplete}`]);
});
