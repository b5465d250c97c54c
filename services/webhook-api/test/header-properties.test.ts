import type { TestResult, Webhook } from '@tocsin/contracts';
import { propertyRuns, type RawServer, startRawServer } from '@tocsin/testing';
import fc from 'fast-check';
import { startApi, type TestApi, workspaceId } from './support/api.js';

const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;

let api: TestApi;
/** Server that stores the bytes of each request, because an HTTP parser would hide white space and letter case. */
let destination: RawServer;
let saved: string;
beforeAll(async () => {
  [api, destination] = await Promise.all([
    startApi(),
    startRawServer((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n')),
  ]);
  const body = { name: 'Hook', url: destination.url, body: '{}' };
  saved = `/api/v1/webhooks/${(await api.call<Webhook>('POST', webhooks, { body })).body.id}`;
});
afterAll(() => Promise.all([api.close(), destination.close()]));

type Headers = Record<string, string[]>;

const tokenCharacters = [..."!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const latin1 = fc
  .oneof(
    { weight: 1, arbitrary: fc.constant(0x09) },
    { weight: 6, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
    { weight: 3, arbitrary: fc.integer({ min: 0x80, max: 0xff }) },
  )
  .map((code) => String.fromCharCode(code));

const usualNames = [
  'Authorization',
  'content-TYPE',
  'Content-Encoding',
  'Accept',
  'Cookie',
  'Set-Cookie',
  'User-Agent',
  'Date',
  'Range',
  'If-Match',
  'X-Forwarded-For',
  'constructor',
  'toString',
  '1',
  '007',
];
const name = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.string({ unit: fc.constantFrom(...tokenCharacters), minLength: 1, maxLength: 20 }),
  },
  { weight: 2, arbitrary: fc.constantFrom(...usualNames) },
  { weight: 1, arbitrary: fc.constant('x'.repeat(300)) },
);
const value = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: latin1, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\t \t', ' both ends ', 'a, b', '"', 'x'.repeat(3_000)) },
);
const doubtful = fc.tuple(
  fc.constantFrom('Host', 'Content-Length', 'TE', 'Proxy-X', 'a b', '', 'é', 'X-Bad', 'Expect', '__proto__'),
  fc.array(fc.constantFrom('ok', 'a\r\nb', 'a\0', '\u0100', '\ud800', '\x7f'), { maxLength: 2 }),
);
/** Random sets of headers. Most sets are valid; some are too large or contain a forbidden name or character. */
const headers = fc
  .tuple(
    fc.uniqueArray(fc.tuple(name, fc.array(value, { maxLength: 4 })), {
      maxLength: 12,
      selector: ([known]) => known.toLowerCase(),
    }),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: doubtful.map((header) => [header]) },
    ),
  )
  .map(([valid, added]): Headers => Object.fromEntries([...valid, ...added]));

/** Returns the lines of the configured headers, without the headers that the sender adds before and after them. */
function configuredLines(request: string): string[] {
  const [head = '', body] = request.split('\r\n\r\n');
  const [start, host, connection, ...rest] = head.split('\r\n');
  const { host: authority, pathname } = new URL(destination.url);
  expect([start, host, connection]).toEqual([
    `POST ${pathname} HTTP/1.1`,
    `host: ${authority}`,
    'connection: keep-alive',
  ]);
  expect([rest.pop(), body]).toEqual(['content-length: 2', '{}']);
  return rest;
}

const linesOf = (set: Headers) =>
  Object.entries(set).flatMap(([known, values]) => values.map((text) => `${known}: ${text}`));

test('accepted headers are sent byte for byte, and rejected headers are named', async () => {
  const counts = { accepted: 0, rejected: 0 };
  await fc.assert(
    fc.asyncProperty(headers, async (set) => {
      const body = { url: destination.url, headers: set, body: '{}' };
      const tested = await api.call<TestResult>('POST', `${webhooks}/test`, { body });
      const patched = await api.call('PATCH', saved, { body: { headers: set } });
      expect(patched.status).toBe(tested.status);
      if (tested.status !== 200) {
        counts.rejected += 1;
        expect(tested.status).toBe(422);
        for (const { path } of patched.body.errors!) expect(path).toMatch(/^\/headers|^\/__proto__/);
        expect(destination.requests.splice(0)).toEqual([]);
        return;
      }
      counts.accepted += 1;
      const sent = await api.call<TestResult>('POST', `${saved}/test`);
      expect([tested.body.error, sent.body.error]).toEqual([null, null]);
      expect(destination.requests.splice(0).map(configuredLines)).toEqual([linesOf(set), linesOf(set)]);
    }),
    propertyRuns(120),
  );
  expect(counts.accepted).toBeGreaterThan(50);
  expect(counts.rejected).toBeGreaterThan(5);
}, 120_000);
