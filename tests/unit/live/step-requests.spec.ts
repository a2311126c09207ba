import { expect, test } from '@playwright/test';
import { createStepRequests, type RequestLike } from '../../../src/environments/page/step-requests.ts';

const request = (path: string, { type = 'fetch', body = null as string | null } = {}): RequestLike => ({
  method: () => (body === null ? 'GET' : 'POST'),
  url: () => `http://shop.localhost${path}`,
  resourceType: () => type,
  postData: () => body,
});

/** A clock that moves only when it is waited on; `at` runs what happens then. */
function clock() {
  let ms = 0;
  const due: [number, () => void][] = [];
  return {
    at: (atMs: number, action: () => void) => void due.push([ms + atMs, action]),
    now: () => ms,
    wait: async (forMs: number) => {
      ms += forMs;
      for (const entry of due.filter(([atMs]) => atMs <= ms)) {
        due.splice(due.indexOf(entry), 1);
        entry[1]();
      }
    },
  };
}

test('a step without requests is not waited for; one with an open request is, and a little longer for what follows', async () => {
  const time = clock();
  const requests = createStepRequests(time);
  requests.beginStep();
  await requests.settled(1_000);
  expect(time.now()).toBe(0);
  const first = request('/first');
  const second = request('/second');
  requests.began(first);
  time.at(200, () => requests.ended(first));
  time.at(250, () => requests.began(second));
  time.at(300, () => requests.ended(second));
  await requests.settled(1_000);
  expect(time.now()).toBe(400);
});

test('a request that is never answered is waited for to the limit, once', async () => {
  const time = clock();
  const requests = createStepRequests(time);
  requests.began(request('/hangs'));
  requests.began(request('/picture.png', { type: 'image' }));
  await requests.settled(1_000);
  expect(time.now()).toBe(1_000);
  requests.beginStep();
  await requests.settled(1_000);
  expect(time.now()).toBe(1_000);
});

test('a page that polls costs a step nothing once it is known, and a quarter of a second before', async () => {
  const time = clock();
  const requests = createStepRequests(time);
  requests.beginStep();
  const poll = request('/news?t=1');
  requests.began(poll);
  requests.ended(poll);
  await time.wait(500);
  requests.began(request('/news?t=2'));
  const before = time.now();
  await requests.settled(1_000);
  expect(time.now() - before).toBe(250);

  requests.endStep();
  requests.began(request('/news?t=3'));
  requests.began(request('/news?t=4'));
  requests.began(request('/graphql', { body: 'news' }));
  requests.began(request('/graphql', { body: 'news' }));
  requests.beginStep();
  requests.began(request('/news?t=5'));
  const later = time.now();
  await requests.settled(1_000);
  expect(time.now()).toBe(later);
  requests.began(request('/graphql', { body: 'cart' }));
  await requests.settled(1_000);
  expect(time.now() - later).toBe(1_000);
});
