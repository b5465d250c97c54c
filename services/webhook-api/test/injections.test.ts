import type { Webhook } from '@tocsin/contracts';
import { useApi, workspaceId } from './support/api.js';
import { nextOf } from './support/paging.js';

const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
const good = { name: 'Good', url: 'http://127.0.0.1:9/', headers: {}, body: '{}' };
const injections = [
  `'`,
  `"`,
  `';drop table webhooks;--`,
  `' or '1'='1`,
  `1;select pg_sleep(20)`,
  `' union select url_encrypted from webhooks --`,
  `$1`,
  `?`,
  `:name`,
  `\\`,
  `%`,
  `%25' --`,
  `{{7*7}}`,
  `\${7*7}`,
  `../../etc/passwd`,
  `<script>alert(1)</script>`,
  `x\r\nX-Injected: 1`,
  `\u0000`,
  `\u202e`,
  `[object Object]`,
];

interface Parameter {
  name: string;
  in: 'path' | 'query';
}
interface Document {
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
}

const api = useApi();
let filters: { path: string; name: string }[];
beforeAll(async () => {
  for (let count = 0; count < 3; count += 1) await api.call('POST', webhooks, { body: good });
  const { body } = await api.call<Document>('GET', '/openapi.json');
  filters = Object.entries(body.paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => ({ path: path.replaceAll(/\{[^}]+\}/g, workspaceId), name })),
  );
});

const stored = async () => JSON.stringify(await api.database.knex('webhooks').orderBy('id'));

test('list filters pass no injection to the database or to the response headers', async () => {
  expect(filters.length).toBeGreaterThan(20);
  const before = await stored();
  for (const { path, name } of filters) {
    for (const text of injections) {
      const startedAtMs = performance.now();
      const target = `${path}?${new URLSearchParams({ [name]: text, limit: name === 'limit' ? text : '1' })}`;
      const { status, headers } = await api.call<unknown>('GET', target, { as: 'admin' });
      expect([path, name, text, [200, 422].includes(status)]).toEqual([path, name, text, true]);
      expect(headers.get('x-injected')).toBeNull();
      expect(performance.now() - startedAtMs).toBeLessThan(10_000);
    }
  }
  expect(await stored()).toBe(before);
}, 120_000);

test('a filter whose name is an injection is rejected', async () => {
  for (const name of [`name'--`, `name[$ne]`, '__proto__', 'constructor', 'name;drop'])
    expect([
      name,
      (await api.call('GET', `${webhooks}?${new URLSearchParams({ [name]: 'x' })}`)).status,
    ]).toEqual([name, 422]);
});

test('a cursor that is changed, cut, extended or invented is rejected', async () => {
  const first = await api.call<Webhook[]>('GET', `${webhooks}?limit=1`);
  const cursor = new URL(nextOf(first.headers)!, api.url).searchParams.get('cursor') ?? '';
  const plain = Buffer.from(JSON.stringify([first.body[0]!.id])).toString('base64url');
  const forged = [
    ...injections,
    plain,
    plain.toUpperCase(),
    cursor.slice(0, -1),
    cursor.slice(4),
    cursor + cursor,
    cursor.split('').reverse().join(''),
    `${cursor}\n`,
    `${cursor}%00`,
    JSON.stringify([first.body[0]!.id]),
  ];
  for (const text of forged) {
    const target = `${webhooks}?${new URLSearchParams({ limit: '1', cursor: text })}`;
    expect([text, (await api.call('GET', target)).status]).toEqual([text, 422]);
  }
  expect((await api.call('GET', `${webhooks}?limit=1&cursor=${cursor}`)).status).toBe(200);
});

const badHeaders: [kind: string, headers: Record<string, unknown>][] = [
  ['a line break in a value', { 'X-A': ['a\r\nX-Injected: 1'] }],
  ['a line feed in a value', { 'X-A': ['a\nX-Injected: 1'] }],
  ['a carriage return in a value', { 'X-A': ['a\rX-Injected: 1'] }],
  ['a folded line in a value', { 'X-A': ['a\r\n b'] }],
  ['a NUL in a value', { 'X-A': ['a\u0000b'] }],
  ['a delete character in a value', { 'X-A': ['a\u007fb'] }],
  ['a character above one byte in a value', { 'X-A': ['a\u010ab'] }],
  ['a line separator in a value', { 'X-A': ['a\u2028b'] }],
  ['a line break in a name', { 'X-A\r\nX-Injected': ['1'] }],
  ['a colon in a name', { 'X-A: b\r\nX': ['1'] }],
  ['a space in a name', { 'X A': ['1'] }],
  ['a space behind a name', { 'Transfer-Encoding ': ['chunked'] }],
  ['an empty name', { '': ['1'] }],
  ['a name that is not ASCII', { 'X-Ä': ['1'] }],
  ['a pseudo header of HTTP/2', { ':authority': ['inner.example'] }],
  ['a value that is an object', { 'X-A': [{ toString: 'x' }] }],
  ['two names that differ in case', { 'X-A': ['1'], 'x-a': ['2'] }],
  ...[
    'Host',
    'hOST',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'Proxy-Authorization',
    'Proxy-Connection',
  ].map((name): [string, Record<string, unknown>] => [`the name ${name}`, { [name]: ['x'] }]),
];

test.each(badHeaders)('a webhook with %s in its headers is rejected', async (_, headers) => {
  for (const [method, path, body] of [
    ['POST', webhooks, { ...good, headers }],
    ['POST', `${webhooks}/test`, { url: good.url, body: '', headers }],
  ] as const)
    expect([path, (await api.call(method, path, { body })).status]).toEqual([path, 422]);
});
