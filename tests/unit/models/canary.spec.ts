import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { findLeaks, findLeaksInText } from '../../../fixtures/testing/find-leaks.ts';
import { ModelCallError } from '../../../src/core/errors.ts';
import type { ModelRequest } from '../../../src/core/model.ts';
import { createRedactor, createStreamRedactor, secretsFromEnv } from '../../../src/core/redact.ts';
import { recordedModel } from '../../../src/models/recorded.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { EventLog, readEvents } from '../../../src/record/event-log.ts';

const canary = 'sk-canary"/+&>>>>>????~~~~42-Zz9';
const redact = createRedactor({ secrets: secretsFromEnv({ OPENAI_API_KEY: canary }) });

/** The canary in every encoding, as different tools write it. */
const everywhere = [
  canary,
  encodeURIComponent(canary),
  JSON.stringify({ key: canary }),
  canary.replaceAll('&', '&amp;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  Buffer.from(canary).toString('hex'),
  Buffer.from(canary).toString('hex').toUpperCase(),
  [...canary].reverse().join(''),
  ...['', 'x', 'xy'].flatMap(before => [
    Buffer.from(before + canary).toString('base64'),
    Buffer.from(before + canary).toString('base64url'),
  ]),
];

test('the search finds every encoding, so that finding none means something', () => {
  const found = everywhere.map(text => findLeaksInText({ secret: canary, text: `a ${text} b`, where: 'text' }).map(({ form }) => form));
  for (const [index, forms] of found.entries()) expect(forms, everywhere[index]).not.toEqual([]);
  expect(new Set(found.flat()).size).toBe(13);
});

test('redaction leaves nothing of it, whole or in pieces', () => {
  const text = everywhere.join('\n');
  expect(findLeaksInText({ secret: canary, text: redact(text), where: 'text' })).toEqual([]);
  const stream = createStreamRedactor({ secrets: [{ name: 'K', value: canary }] });
  const pieces = [...text].map(character => stream.write(character)).join('') + stream.end();
  expect(findLeaksInText({ secret: canary, text: pieces, where: 'stream' })).toEqual([]);
});

test('the search looks into folders, names, archives, and the archive in the HTML report, and follows no links', ({}, testInfo) => {
  const folder = testInfo.outputPath('look');
  mkdirSync(join(folder, 'deep'), { recursive: true });
  const plain = 'sk-canary-plain-1';
  const zip = oneFileZip({ name: 'trace.txt', content: plain });
  writeFileSync(join(folder, 'deep', 'trace.zip'), zip);
  writeFileSync(join(folder, 'index.html'), `<script>x = "data:application/zip;base64,${zip.toString('base64')}"</script>`);
  writeFileSync(join(folder, 'log.gz'), gzipSync(`key=${plain}`));
  writeFileSync(join(folder, `${plain}.png`), '');
  symlinkSync('/', join(folder, 'deep', 'root'));
  const found = findLeaks({ secret: plain, paths: [folder] }).map(({ where, form }) => `${where.replace(folder, '')} ${form}`);
  expect(found.sort()).toEqual([
    '/deep/trace.zip!trace.txt clear',
    '/index.html!embedded zip!trace.txt clear',
    '/log.gz!gunzip clear',
    `name of /${plain}.png clear`,
  ]);
  expect(findLeaks({ secret: 'sk-nowhere-to-be-seen', paths: [folder] })).toEqual([]);
  writeFileSync(join(folder, 'broken.zip'), zip.subarray(0, zip.length - 30));
  expect(() => findLeaks({ secret: plain, paths: [folder] })).toThrow('zip');
});

test('a canary in prompts, replies and failures reaches neither events, recordings nor errors', async ({}, testInfo) => {
  const folder = testInfo.outputPath('run');
  mkdirSync(folder);
  const log = new EventLog({ path: join(folder, 'events.jsonl'), now: () => new Date(0), redact });
  const file = join(folder, 'task.yaml');
  const open = (fields: Partial<Parameters<typeof recordedModel>[0]>) =>
    recordedModel({ file, task: 't', mode: 'replay', strict: true, redact, onEvent: event => log.append(event), ...fields });
  const ask = (key: string, text: string): ModelRequest => ({
    role: 'agent',
    key,
    messages: [{ role: 'user', content: text, extra: {} }],
    signal: new AbortController().signal,
  });
  const errors: string[] = [];

  const recording = open({
    mode: 'record',
    live: scripted([...everywhere, new ModelCallError({ failure: 'auth', what: redact(`401: bad key ${canary}`) })]),
    provenance: { source: 'scripted', by: canary, date: '2026-11-30' },
  });
  for (const [index, text] of everywhere.entries()) await recording.complete(ask(`step-${index + 1}`, text));
  await recording.complete(ask('step-99', 'x')).catch((error: Error) => errors.push(error.message));
  // The author's name is a place where nobody looks for a key: nothing is written.
  expect(() => recording.close()).toThrow('a secret is left in it');

  const again = open({ mode: 'record', live: scripted(everywhere), provenance: { source: 'scripted', by: 'tests', date: '2026-11-30' } });
  for (const [index, text] of everywhere.entries()) await again.complete(ask(`step-${index + 1}`, text));
  again.close();
  const replayed = open({});
  await replayed.complete(ask('step-1', `changed ${everywhere.join(' ')}`));
  await replayed.complete(ask('step-404', `unknown ${everywhere.join(' ')}`)).catch((error: Error) => errors.push(error.message));
  log.append({ type: 'model-failed', role: 'agent', key: 'step-1', failure: 'auth', detail: everywhere.join('\n') });
  log.close();

  expect(errors).toHaveLength(2);
  expect(findLeaksInText({ secret: canary, text: errors.join('\n'), where: 'errors' })).toEqual([]);
  expect(readdirSync(folder).sort()).toEqual(['events.jsonl', 'task.yaml']);
  expect(findLeaks({ secret: canary, paths: [folder] })).toEqual([]);
  expect(readEvents(join(folder, 'events.jsonl')).map(({ type }) => type)).toEqual(['note', 'model-failed']);
  expect(readFileSync(file, 'utf8')).toContain('[redacted:OPENAI_API_KEY]');
});

function oneFileZip({ name, content }: { name: string; content: string }): Buffer {
  const packed = deflateRawSync(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), packed]);
  const directory = Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, directory, end]);
}
