import { randomUUID } from 'node:crypto';
import type { Webhook } from '@tocsin/contracts';
import { useApi, workspaceId } from './support/api.js';
import {
  createWebhook,
  optionDefaults,
  type SavedWebhook,
  webhookFields,
  webhooksPath,
} from './support/webhook.js';

const api = useApi();

const create = (changes?: object) => createWebhook(api, changes);
const read = (id: string) => api.call<Webhook>('GET', `/api/v1/webhooks/${id}`);

describe('creating a webhook', () => {
  test('creating a webhook returns all its fields with defaults, and the header Location', async () => {
    const { status, headers, body } = await api.call<SavedWebhook>('POST', webhooksPath, {
      body: webhookFields,
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/v1/webhooks/${body.id}`);
    expect(body).toEqual({
      ...webhookFields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      workspace_id: workspaceId,
      external_id: null,
      enabled: true,
      retry_on_timeout: true,
      ...optionDefaults,
      paused: null,
      health: { state: 'unknown', since: null, last_error: null, success_rate_24h: null },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      updated_at: body.created_at,
      last_updated_by: expect.stringContaining(`${process.env.TOCSIN_TEST_OIDC_ISSUER}#`),
      warnings: [],
    });
    const { warnings: _, ...webhook } = body;
    expect((await read(body.id)).body).toEqual(webhook);
  });

  test('a webhook that is created without headers has an empty object as headers', async () => {
    const { headers: _, ...rest } = webhookFields;
    const { body } = await api.call<SavedWebhook>('POST', webhooksPath, { body: rest });
    expect(body.headers).toEqual({});
  });

  test('the workspace id of a new webhook can be in upper case', async () => {
    const path = `/api/v1/workspaces/${workspaceId.toUpperCase()}/webhooks`;
    const { status, body } = await api.call<SavedWebhook>('POST', path, { body: webhookFields });
    expect([status, body.workspace_id]).toEqual([201, workspaceId]);
  });

  test('a host name that does not resolve causes a warning', async () => {
    const { warnings } = await create({ url: 'https://no-such-host.invalid/x' });
    expect(warnings).toEqual([expect.stringMatching(/^url: /)]);
  });

  test('a Content-Type that is missing or does not fit JSON causes a warning', async () => {
    expect((await create({ headers: {} })).warnings).toEqual([
      expect.stringMatching(/^headers: Content-Type is missing/),
    ]);
    const { id, warnings } = await create({ headers: { 'content-type': ['text/plain'] } });
    expect(warnings).toEqual([expect.stringMatching(/^headers: .*does not fit the body/)]);
    const patch = async (body: object) =>
      (await api.call<SavedWebhook>('PATCH', `/api/v1/webhooks/${id}`, { body })).body.warnings;
    expect(await patch({ name: 'Only the name' })).toEqual([]);
    expect(await patch({ headers: { 'X-A': ['1'] } })).toEqual([expect.stringContaining('is missing')]);
    expect(await patch({ headers: { 'Content-Type': ['application/json'] } })).toEqual([]);
  });

  test('one response lists all errors of a webhook, from its schema and from later checks', async () => {
    const body = {
      url: 'http://169.254.169.254/#x',
      headers: { Host: ['x'], 'X-A': ['a\nb'] },
      body: '{"a": {{ metricvalue }}}',
      enabled: 'yes',
      extra: 1,
    };
    const rejected = await api.call('POST', webhooksPath, { body });
    expect(rejected.status).toBe(422);
    const paths = rejected.body.errors?.map(({ path }) => path) ?? [];
    expect([...new Set(paths)].sort()).toEqual([
      '/body',
      '/enabled',
      '/extra',
      '/headers/Host',
      '/headers/X-A/0',
      '/name',
      '/url',
    ]);
    expect(JSON.stringify(rejected.body.errors)).toContain('EGRESS_ALLOW');
    const { id } = await create();
    const patched = await api.call('PATCH', `/api/v1/webhooks/${id}`, {
      body: { name: '', url: 'ftp://x/' },
    });
    expect(patched.body.errors?.map(({ path }) => path)).toEqual(['/name', '/url']);
  });

  test.each([
    ['another scheme', { url: 'ftp://example.com/x' }, '/url'],
    ['a relative url', { url: '/hooks' }, '/url'],
    ['credentials in the url', { url: 'http://user:pass@example.com/' }, '/url'],
    ['a fragment', { url: 'http://example.com/#x' }, '/url'],
    ['the port 0', { url: 'http://example.com:0/x' }, '/url'],
    ['a url too long', { url: `http://example.com/${'x'.repeat(2048)}` }, '/url'],
    ['the metadata address', { url: 'http://169.254.169.254/latest' }, '/url'],
    ['a private address', { url: 'http://10.0.0.1/' }, '/url'],
    ['a mapped private address', { url: 'http://[::ffff:10.0.0.1]/' }, '/url'],
    ['a private address written as a number', { url: 'http://167772161/' }, '/url'],
    ['a header value that is not an array', { headers: { 'X-A': 'one' } }, '/headers/X-A'],
    ['a header value with a line break', { headers: { 'X-A': ['a\r\nX-B: c'] } }, '/headers/X-A/0'],
    ['a header name with a space', { headers: { 'X A': ['a'] } }, '/headers/X A'],
    ['Host', { headers: { Host: ['evil'] } }, '/headers/Host'],
    ['Content-Length', { headers: { 'content-length': ['1'] } }, '/headers/content-length'],
    ['two names that differ in case', { headers: { 'X-A': ['a'], 'x-a': ['b'] } }, '/headers/x-a'],
    ['an empty name', { name: '' }, '/name'],
    ['a name too long', { name: 'n'.repeat(256) }, '/name'],
    ['a body too long', { body: JSON.stringify('x'.repeat(65_536)) }, '/body'],
    ['a body that is not JSON', { body: 'not json' }, '/body'],
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['a read-only field', { id: randomUUID() }, '/id'],
    ['enabled as a string', { enabled: 'yes' }, '/enabled'],
    ['null for a field', { body: null }, '/body'],
  ])('a webhook with %s is rejected with the path of the wrong value', async (_, changes, path) => {
    const before = await api.call<Webhook[]>('GET', webhooksPath);
    const { status, headers, body } = await api.call('POST', webhooksPath, {
      body: { ...webhookFields, ...changes },
    });
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body.errors?.map((error) => error.path)).toContain(path);
    expect(await api.call('GET', webhooksPath)).toMatchObject({ body: { length: before.body.length } });
  });

  test('all missing fields of a webhook are reported together', async () => {
    const { body } = await api.call('POST', webhooksPath, { body: {} });
    expect(body.errors?.map(({ path }) => path)).toEqual(['/name', '/url', '/body']);
  });

  test('a secret in a rejected request is not in the response', async () => {
    const secret = 'hunter2';
    const { body } = await api.call('POST', webhooksPath, {
      body: {
        ...webhookFields,
        url: `http://u:${secret}@h/#${secret}`,
        headers: { Host: [secret], A: [`\n${secret}`] },
      },
    });
    expect(JSON.stringify(body)).not.toContain(secret);
  });
});
