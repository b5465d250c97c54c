import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import type { AlertRule, Webhook } from '@tocsin/contracts';
import { createLogger } from '@tocsin/kit';
import { otherWorkspaceId, startApi, type TestApi, workspaceId } from './support/api.js';
import { tokenOf } from './support/tokens.js';

const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
const fields = {
  name: 'Hook',
  url: 'http://127.0.0.1:9/s3cret',
  headers: { A: ['s3cret'] },
  body: '"s3cret"',
};

let api: TestApi;
const lines: string[] = [];
beforeAll(async () => {
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  api = await startApi({ logger: createLogger({ service: 'webhook-api', level: 'debug', destination }) });
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${api.url}${path}`, { headers });

describe('requests without a token', () => {
  test.each(['/livez', '/readyz', '/openapi.json', '/asyncapi.json', '/docs'])(
    '%s is served without a token',
    async (path) => {
      expect((await get(path)).status).toBe(200);
    },
  );

  test.each([
    ['no header', {}],
    ['an empty header', { Authorization: '' }],
    ['another scheme', { Authorization: 'Basic eDp5' }],
    ['no token', { Authorization: 'Bearer' }],
    ['an invalid token', { Authorization: 'Bearer nonsense' }],
    ['an unsigned token', { Authorization: `Bearer ${unsigned()}` }],
  ])('a request to a non-public path with %s gets 401', async (_, headers: Record<string, string>) => {
    for (const path of [
      webhooks,
      `/api/v1/webhooks/${randomUUID()}`,
      '/api/v1/whoami',
      '/nothing',
      '/metrics',
    ]) {
      const response = await get(path, headers);
      expect([path, response.status]).toEqual([path, 401]);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(await response.json()).toMatchObject({ status: 401, code: 'unauthenticated' });
    }
  });

  test('a token whose claims or signature are changed gets 401', async () => {
    const token = await tokenOf('admin');
    const [head, payload, signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'someone' })).toString('base64url');
    for (const changed of [
      `${head}.${forged}.${signature}`,
      `${token.slice(0, -4)}AAAA`,
      `${head}.${payload}.`,
    ]) {
      expect((await get(webhooks, { Authorization: `Bearer ${changed}` })).status).toBe(401);
    }
  });
});

function unsigned(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: 'x', iss: process.env.TOCSIN_TEST_OIDC_ISSUER, aud: 'tocsin-api' })}.`;
}

test('whoami returns the principal and its roles by workspace', async () => {
  const editor = await api.call<Record<string, unknown>>('GET', '/api/v1/whoami');
  expect(editor.body).toMatchObject({
    issuer: process.env.TOCSIN_TEST_OIDC_ISSUER,
    subject: expect.any(String),
    workspaces: { [workspaceId]: ['editor'] },
    deployment_roles: [],
  });
  const outsider = await api.call<Record<string, unknown>>('GET', '/api/v1/whoami', { as: 'outsider' });
  expect(outsider.body).toMatchObject({ workspaces: { [otherWorkspaceId]: ['admin'] } });
  const admin = await api.call<Record<string, unknown>>('GET', '/api/v1/whoami', { as: 'admin' });
  expect(admin.body).toMatchObject({ deployment_roles: expect.arrayContaining(['tocsin_admin']) });
});

describe('the OpenAPI document', () => {
  interface Document {
    openapi: string;
    paths: Record<string, Record<string, { operationId: string; security?: unknown[] }>>;
    components: { schemas: Record<string, unknown> };
  }
  let document: Document;
  beforeAll(async () => {
    const response = await get('/openapi.json');
    document = JSON.parse(await response.text());
  });

  test('the OpenAPI 3.1 document has each operation once', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`),
    );
    expect(operations).toEqual(
      expect.arrayContaining([
        'POST /workspaces/{workspace_id}/webhooks/test',
        'POST /workspaces/{workspace_id}/webhooks',
        'GET /workspaces/{workspace_id}/webhooks',
        'POST /workspaces/{workspace_id}/webhooks/preview',
        'GET /webhooks/{webhook_id}',
        'PATCH /webhooks/{webhook_id}',
        'DELETE /webhooks/{webhook_id}',
        'POST /webhooks/{webhook_id}/test',
        'POST /workspaces/{workspace_id}/alert_rules',
        'GET /workspaces/{workspace_id}/alert_rules',
        'GET /alert_rules/{alert_rule_id}',
        'PATCH /alert_rules/{alert_rule_id}',
        'DELETE /alert_rules/{alert_rule_id}',
        'GET /whoami',
      ]),
    );
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('the OpenAPI document contains all schemas that it references', () => {
    const referred = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)];
    expect(referred.length).toBeGreaterThan(20);
    for (const [, name] of referred) expect(Object.keys(document.components.schemas)).toContain(name);
  });

  test('all OpenAPI paths are served and need a token unless they are public', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        const target = path.replaceAll(/\{[^}]+\}/g, randomUUID());
        const response = await fetch(`${api.url}${target}`, { method: method.toUpperCase() });
        const operation = `${method} ${path}`;
        expect([operation, response.status]).toEqual([operation, security === undefined ? 401 : 200]);
      }
    }
  });
});

test('metrics are served on a separate port and count requests by route', async () => {
  await api.call('GET', webhooks);
  const response = await fetch(`${api.metricsUrl}/metrics`);
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toContain('route="/api/v1/workspaces/{workspace_id}/webhooks"');
  expect(text).not.toContain(workspaceId);
});

test('secrets of webhooks and tokens are not logged', async () => {
  const { body } = await api.call<Webhook>('POST', webhooks, { body: fields });
  await api.call('PATCH', `/api/v1/webhooks/${body.id}`, {
    body: { ...fields, headers: { 'X s3cret': ['s3cret'] } },
  });
  await api.call('POST', `${webhooks}/test`, {
    body: { url: fields.url, headers: fields.headers, body: 's3cret' },
  });
  await api.call('POST', webhooks, { body: '{"url": "s3cret' });
  await api.call('GET', `/api/v1/webhooks/${body.id}`);
  const log = lines.join('');
  expect(log).toContain('http.request');
  expect(log).not.toContain('s3cret');
  expect(log).not.toContain((await tokenOf('editor')).slice(-40));
});

test('log lines of changes and of rejected changes name the workspace and the resource', async () => {
  const rules = `/api/v1/workspaces/${workspaceId}/alert_rules`;
  const rule = { name: 'R', model_id: randomUUID(), threshold: 1, bound: 'upper_bound' };
  const { body: webhook } = await api.call<Webhook>('POST', webhooks, { body: fields });
  const ids = { notification_webhook_ids: [webhook.id] };
  const { body: created } = await api.call<AlertRule>('POST', rules, { body: { ...rule, ...ids } });
  await api.call('PATCH', `/api/v1/alert_rules/${created.id}`, { body: { name: 'S' } });
  await api.call('DELETE', `/api/v1/webhooks/${webhook.id}`);
  await api.call('DELETE', `/api/v1/webhooks/${webhook.id}?force=true`, { as: 'reader' });
  await api.call('DELETE', `/api/v1/webhooks/${webhook.id}?force=true`);
  await api.call('DELETE', `/api/v1/alert_rules/${created.id}`);
  const changes = lines
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === 'http.request' && line.workspace_id === workspaceId)
    .map(({ method, status, webhook_id, alert_rule_id, detached_from }) => [
      method,
      status,
      webhook_id ?? alert_rule_id,
      detached_from,
    ]);
  expect(changes.slice(-7)).toEqual([
    ['POST', 201, webhook.id, undefined],
    ['POST', 201, created.id, undefined],
    ['PATCH', 200, created.id, undefined],
    ['DELETE', 409, webhook.id, undefined],
    ['DELETE', 403, webhook.id, undefined],
    ['DELETE', 204, webhook.id, [created.id]],
    ['DELETE', 204, created.id, undefined],
  ]);
});

test('a response contains the request id of the caller if this id is safe, or else a new id', async () => {
  const given = await api.call('GET', webhooks, { headers: { 'X-Request-Id': 'trace-1' } });
  expect(given.headers.get('x-request-id')).toBe('trace-1');
  const odd = await api.call('GET', webhooks, { headers: { 'X-Request-Id': '<script>' } });
  expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});
