import type { Webhook } from '@tocsin/contracts';
import { useApi, workspaceId } from './support/api.js';

const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
const rules = `/api/v1/workspaces/${workspaceId}/alert_rules`;
const good = { name: 'Good', url: 'http://127.0.0.1:9/', headers: {}, body: '{}' };
const rule = { name: 'Rule', model_id: workspaceId, threshold: 1, bound: 'upper_bound' };

const api = useApi();
let webhookPath: string;
let rulePath: string;
beforeAll(async () => {
  const webhook = await api.call<Webhook>('POST', webhooks, { body: good });
  webhookPath = `/api/v1/webhooks/${webhook.body.id}`;
  const created = await api.call<{ id: string }>('POST', rules, { body: rule });
  rulePath = `/api/v1/alert_rules/${created.body.id}`;
});

/** Returns the rows of the tables that the requests of this file could have changed, as text. */
async function stored(): Promise<string> {
  const tables = await Promise.all(
    ['webhooks', 'alert_rules', 'alert_rule_webhooks'].map((table) => api.database.knex(table).orderBy(1)),
  );
  return JSON.stringify(tables);
}

const targets = () =>
  [
    ['POST', webhooks, good],
    ['PATCH', webhookPath, good],
    ['POST', `${webhooks}/test`, { url: good.url, headers: {}, body: '' }],
    ['POST', `${webhooks}/preview`, { body: '{}', context: {} }],
    ['POST', `${webhookPath}/test`, { context: {} }],
    ['POST', rules, rule],
    ['PATCH', rulePath, rule],
  ] as const;

/**
 * Sends `body` to each route in `targets`. Expects a problem document with the given status, and an unchanged database.
 */
async function rejectedEverywhere(
  body: string | Uint8Array,
  status: number,
  headers?: Record<string, string>,
) {
  const before = await stored();
  for (const [method, path] of targets()) {
    const response = await api.call(method, path, { body, ...(headers && { headers }) });
    expect([path, response.status]).toEqual([path, status]);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.body.detail).toMatch(/^[A-Z].*\.$/);
  }
  expect(await stored()).toBe(before);
}

const deep = (open: string, close: string) => `${open.repeat(10_000)}${close.repeat(10_000)}`;

test.each([
  ['text that is not JSON', 'not json', 400],
  ['JSON with a missing end', '{"name": "x"', 400],
  ['JSON with a trailing comma', '{"name": "x",}', 400],
  ['NaN', '{"threshold": NaN}', 400],
  ['arrays nested 10,000 deep', deep('[', ']'), 422],
  ['objects nested 10,000 deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 422],
  ['nested too deeply in a known field', `{"headers": ${deep('[', ']')}, "context": ${deep('[', ']')}}`, 422],
  ['an array', '[]', 422],
  ['null', 'null', 422],
  ['a string', '"x"', 422],
  ['a number', '1', 422],
  ['an object with a __proto__ key', '{"__proto__": {"name": "x"}}', 422],
  ['an object with a constructor key', '{"constructor": {"prototype": {}}}', 422],
  ['an object with a NUL in a name', '{"\\u0000": 1}', 422],
  ['an object with a lone surrogate', '{"name": "\\ud800", "body": "\\ud800"}', 422],
])('a request body that is %s is rejected', async (_, body, status) => {
  await rejectedEverywhere(body, status);
});

test('a request body that is not UTF-8 is rejected', async () => {
  await rejectedEverywhere(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400);
});

test('a request body over 1 MiB is rejected', async () => {
  await rejectedEverywhere(JSON.stringify({ name: 'x'.repeat(1_048_576) }), 413);
});

test.each(['text/plain', 'application/xml', 'application/json; charset=latin1', 'application/jsonx', 'x'])(
  'a request with the media type %s is rejected',
  async (type) => {
    await rejectedEverywhere(JSON.stringify(good), 415, { 'Content-Type': type });
  },
);

const wrongValues = [
  'null',
  '7',
  'true',
  '["x"]',
  '{"x": 1}',
  '{"": [""]}',
  '[[["x"]]]',
  '"x"',
  '""',
  '"a\\u0000b"',
  '"a\\udc00"',
  `"${'x'.repeat(100_000)}"`,
  deep('[', ']'),
  `{"${'k'.repeat(10_000)}": []}`,
  '1e999',
  '-0',
];

test('no invalid value of a field causes an internal error', async () => {
  for (const [method, path, fields] of targets()) {
    for (const field of Object.keys(fields)) {
      for (const value of wrongValues) {
        const { [field]: _, ...others } = fields as Record<string, unknown>;
        const body = JSON.stringify({ [field]: '@', ...others }).replace('"@"', () => value);
        const { status } = await api.call<unknown>(method, path, { body });
        if (status > 201)
          expect([method, path, field, value, status]).toEqual([method, path, field, value, 422]);
      }
    }
  }
});

test.each([
  ['2,000 errors lists the first 20', 2_000, 20],
  ['100,000 errors lists only the first', 100_000, 1],
])('the response to a request body with %s', async (_, count, errors) => {
  const headers = { A: Array.from({ length: count }, () => '\n') };
  const { status, body } = await api.call('POST', webhooks, { body: { ...good, headers } });
  expect([status, body.errors?.length]).toEqual([422, errors]);
});

const injections = [
  `'; drop table webhooks; --`,
  `" or 1=1 --`,
  `$1`,
  `?`,
  `??`,
  `:name`,
  `\\'`,
  `%s`,
  `{{7*7}}`,
  '\u2028',
];

test('strings with SQL or placeholders are stored as text', async () => {
  for (const text of injections) {
    const named = await api.call<Webhook>('POST', webhooks, {
      body: {
        ...good,
        name: text,
        headers: { 'X-Sql': [text.replace('\u2028', '')] },
        body: JSON.stringify(text),
      },
    });
    expect([text, named.status, named.body.name]).toEqual([text, 201, text]);
    const found = await api.call<Webhook[]>('GET', `${webhooks}?name=${encodeURIComponent(text)}`);
    expect(found.body.map(({ id }) => id)).toContain(named.body.id);
    expect((await api.call('POST', rules, { body: { ...rule, name: text } })).status).toBe(201);
    for (const path of [
      `/api/v1/webhooks/${encodeURIComponent(text)}`,
      `/api/v1/alert_rules/${encodeURIComponent(text)}`,
    ]) {
      expect((await api.call('GET', path)).status).toBe(422);
    }
  }
});

test.each([
  ['GET', '/api/v1/workspaces/not-a-uuid/webhooks', 422],
  ['POST', '/api/v1/workspaces/%00/webhooks', 422],
  ['GET', '/api/v1/webhooks/%zz', 400],
  ['GET', '/api/v1/webhooks/00000000-0000-0000-0000-00000000000g', 422],
  ['GET', '/api/v1/webhooks/urn:uuid:00000000-0000-0000-0000-000000000000', 422],
  ['GET', '/api/v1/webhooks/00000000-0000-0000-0000-000000000000', 404],
  ['GET', '/api/v1/nothing', 404],
  ['PUT', '/api/v1/webhooks/00000000-0000-0000-0000-000000000000', 405],
  ['DELETE', webhooks, 405],
])('the request %s %s gets %i with a problem document', async (method, path, status) => {
  const response = await api.call(method, path);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'application/problem+json',
  ]);
});

test('the service still responds correctly after all hostile requests of this file', async () => {
  expect((await api.call<Webhook>('GET', webhookPath)).status).toBe(200);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
