import { expect, test } from '@playwright/test';
import { hintFor } from '../../../src/environments/page/hints.ts';
import { explainNavigation } from '../../../src/environments/page/start-urls.ts';

const cases: [string, string, string][] = [
  ['net::ERR_NAME_NOT_RESOLVED', 'does not resolve', 'spelling'],
  ['net::ERR_CONNECTION_REFUSED', 'nothing listens', 'start the server'],
  ['net::ERR_CONNECTION_RESET', 'closed the connection', 'http against https'],
  ['net::ERR_EMPTY_RESPONSE', 'closed the connection', 'http against https'],
  ['net::ERR_INVALID_AUTH_CREDENTIALS', 'user name', 'httpCredentials'],
  ['net::ERR_CERT_AUTHORITY_INVALID', 'certificate', 'ignoreHTTPSErrors'],
  ['net::ERR_SSL_PROTOCOL_ERROR', 'does not speak https', 'http://'],
  ['net::ERR_SSL_CLIENT_AUTH_CERT_NEEDED', 'certificate of yours', 'clientCertificates'],
  ['net::ERR_BAD_SSL_CLIENT_AUTH_CERT', 'certificate of yours', 'clientCertificates'],
  ['net::ERR_CONNECTION_TIMED_OUT', 'nothing answers', 'proxy'],
  ['net::ERR_HTTP_RESPONSE_CODE_FAILURE', 'an error and no page', 'status'],
  ['net::ERR_INTERNET_DISCONNECTED', 'network', 'network'],
  ['net::ERR_PROXY_CONNECTION_FAILED', 'proxy', 'proxy'],
  ['net::ERR_TOO_MANY_REDIRECTS', 'circle', 'another page'],
  ['Cannot navigate to invalid URL', 'not an address', 'https://'],
  ['page.goto: Download is starting', 'download', 'page that offers it'],
  ['net::ERR_ABORTED', 'no page', 'an address that is a page'],
];

test('E12 navigation errors in plain words, with the option that helps', () => {
  for (const [message, meaning, remedy] of cases) {
    expect.soft(explainNavigation(message)?.meaning, message).toContain(meaning);
    expect.soft(explainNavigation(message)?.remedy, message).toContain(remedy);
  }
  expect(explainNavigation('net::ERR_SOMETHING_NEW')).toBeNull();
});

test('an error of the code gets a hint where its own words do not help', () => {
  expect(hintFor('Error: page.goto: net::ERR_NAME_NOT_RESOLVED at http://x')).toContain('does not resolve');
  expect(hintFor('ReferenceError: rows is not defined')).toContain('keep values in state');
  expect(hintFor('Error: strict mode violation')).toBe('');
});
