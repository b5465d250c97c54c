import { randomUUID } from 'node:crypto';
import { type AuditEvent, auditActions } from '@tocsin/contracts';
import { recordId } from '@tocsin/database';
import { reportWebhooks } from '@tocsin/deliveries';
import { alertFiredQueue } from '@tocsin/messaging';
import { insertAlertRule, insertDelivery, insertWebhook } from '@tocsin/testing/database';
import { otherWorkspaceId, useApi, workspaceId } from './support/api.js';
import { seedAlert, seedDelivery } from './support/history.js';
import { readAll } from './support/paging.js';
import type { Role } from './support/tokens.js';

interface Operation {
  method: string;
  path: string;
  operationId: string;
  'x-permission'?: string;
  requestBody?: { content: Record<string, { example?: object }> };
}

const inWorkspace = `/api/v1/workspaces/${workspaceId}`;
const events = `${inWorkspace}/audit_events`;

const api = useApi();
let operations: Operation[];
beforeAll(async () => {
  const { body } = await api.call<{ paths: Record<string, Record<string, Operation>> }>(
    'GET',
    '/openapi.json',
  );
  operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );
});

/** Permissions whose operations write no audit event, with the reasons. */
const withoutEvents: Record<string, string> = {
  workspace_publish_alert: 'An alert is a record of its own, and there can be thousands in a second.',
  workspace_test_webhook: 'A test or a preview changes nothing.',
};

const audited = () =>
  operations.filter(
    ({ method, 'x-permission': permission = '' }) =>
      !['GET', 'HEAD'].includes(method) && !(permission in withoutEvents),
  );

const read = async (query = '', as: Role = 'admin') =>
  (await readAll<AuditEvent>(api, `${events}${query}`, { as })).entries;

/** Sends a request with a new request id, and returns the response with the audit events of that id. */
async function send(method: string, path: string, body?: object, options: { as?: Role; etag?: string } = {}) {
  const { as = 'admin', etag } = options;
  const requestId = randomUUID();
  const headers = { 'X-Request-Id': requestId, ...(etag !== undefined && { 'If-Match': etag }) };
  const response = await api.call<{ id: string }>(method, path, { as, body, headers });
  const all = await readAll<AuditEvent>(api, '/api/v1/audit_events?limit=1000', { as: 'admin' });
  return { ...response, events: all.entries.filter(({ request_id }) => request_id === requestId) };
}

const create = async (collection: string, body: object) =>
  (await api.call<{ id: string }>('POST', collection, { as: 'admin', body })).body.id;
const addWebhook = () => insertWebhook(api.database, { workspaceId });
const addRule = (webhookIds: string[] = []) => insertAlertRule(api.database, { workspaceId, webhookIds });

/** For each path parameter, a function that creates a resource that the operation can change, and returns its id. */
const makers: Record<string, (operation: Operation, ids: Record<string, string>) => Promise<string>> = {
  workspace_id: async () => workspaceId,
  webhook_id: addWebhook,
  alert_rule_id: () => addRule(),
  secret_id: async (_, { webhook_id }) => create(`/api/v1/webhooks/${webhook_id}/signing_secrets`, {}),
  delivery_id: async ({ path }) =>
    seedDelivery(api.database, { status: path.endsWith('/cancel') ? 'open' : 'failed' }),
  alert_id: async () =>
    seedAlert(api.database, {
      alertRuleId: await addRule([await addWebhook()]),
      outcome: 'no_webhooks',
    }),
  redelivery_id: async () => create(`${inWorkspace}/redeliveries`, { all: true }),
  dispatch_id: async () => create(`${inWorkspace}/dispatches`, { all: true }),
  cancellation_id: async () => create(`${inWorkspace}/cancellations`, { all: true }),
  dead_letter_id: async () => {
    const id = recordId(Date.now(), randomUUID());
    const source = { queue: alertFiredQueue, routing_key: 'alert.fired', content: Buffer.from('{}') };
    const reason = { reason: 'invalid_message', detail: 'No alert.' };
    await api.database
      .knex('dead_letters')
      .insert({ id, workspace_id: workspaceId, ...source, ...reason, created_at: new Date() });
    return id;
  },
};

async function targetOf(operation: Operation): Promise<string> {
  const ids: Record<string, string> = {};
  for (const [, name = ''] of operation.path.matchAll(/\{([^}]+)\}/g)) {
    const make = makers[name];
    if (make === undefined) throw new Error(`Make a ${name}, which ${operation.operationId} changes.`);
    ids[name] = await make(operation, ids);
  }
  return operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => ids[name] ?? '');
}

const exampleOf = ({ requestBody }: Operation) => requestBody?.content['application/json']?.example;

test('every write operation except publishing and tests writes exactly one audit event', async () => {
  expect(audited().length).toBeGreaterThan(15);
  await api.database.knex('workspace_settings').delete();
  const actions: string[] = [];
  for (const operation of audited()) {
    const { operationId, method } = operation;
    const { status, events } = await send(method, await targetOf(operation), exampleOf(operation));
    expect([operationId, status < 300, events.length]).toEqual([operationId, true, 1]);
    expect([operationId, events[0]]).toEqual([
      operationId,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        time: expect.stringMatching(/Z$/),
        workspace_id: workspaceId,
        principal: expect.stringMatching(/^http.+#.+/),
        principal_name: expect.any(String),
        action: expect.stringMatching(/^[a-z_]+\.[a-z]+$/),
        resource_type: expect.any(String),
        resource_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        changed_fields: method === 'PATCH' ? expect.arrayContaining([expect.any(String)]) : [],
        request_id: expect.any(String),
      },
    ]);
    const { action, resource_type } = events[0]!;
    expect([action, resource_type]).toEqual([action, auditActions[action as keyof typeof auditActions]]);
    actions.push(action);
  }
  const ofEngine = ['api_key.created', 'api_key.deactivated'];
  expect([...new Set([...actions, ...ofEngine])].sort()).toEqual(Object.keys(auditActions).sort());
});

test('a forbidden write operation writes no audit event', async () => {
  for (const operation of audited()) {
    const { operationId, method } = operation;
    const target = await targetOf(operation);
    const rejected = await send(method, target, exampleOf(operation), { as: 'outsider' });
    expect([operationId, rejected.status, rejected.events]).toEqual([operationId, 403, []]);
  }
});

test('a request that is rejected or changes no value writes no audit event', async () => {
  const webhook = `/api/v1/webhooks/${await addWebhook()}`;
  const rule = `/api/v1/alert_rules/${await addRule()}`;
  await send('PATCH', webhook, { external_id: 'audited' });
  for (const [method, path, body, etag] of [
    ['PATCH', webhook, { name: '' }],
    ['PATCH', webhook, { name: 'Other' }, '"999"'],
    ['DELETE', webhook, undefined, '"999"'],
    ['PATCH', `/api/v1/webhooks/${await addWebhook()}`, { external_id: 'audited' }],
    ['PATCH', webhook, { external_id: 'audited' }],
    ['PATCH', webhook, {}],
    ['PATCH', rule, { notification_webhook_ids: [randomUUID()] }],
    ['PATCH', `${inWorkspace}/settings`, { notice_webhook_ids: [randomUUID()] }],
    ['PATCH', `/api/v1/webhooks/${randomUUID()}`, { name: 'Other' }],
    ['POST', `${inWorkspace}/redeliveries`, { status: 'failed' }],
    ['POST', `${inWorkspace}/alerts/${randomUUID()}/dispatch`, {}],
  ] as [string, string, object?, string?][]) {
    const { status, events } = await send(method, path, body, etag === undefined ? {} : { etag });
    const isUnchanged = method === 'PATCH' && path === webhook && status === 200;
    expect([path, body, isUnchanged || status >= 400, events]).toEqual([path, body, true, []]);
  }
});

test('a change is rolled back if its audit event cannot be written', async () => {
  const { knex } = api.database;
  const webhook = `/api/v1/webhooks/${await addWebhook()}`;
  const before = await knex('webhooks').orderBy('id');
  await knex.raw('alter table audit_events add constraint broken check (false) not valid');
  try {
    expect((await send('PATCH', webhook, { name: 'Other' })).status).toBe(500);
    expect((await send('DELETE', webhook)).status).toBe(500);
    const body = { name: 'New', url: 'http://127.0.0.1:9/', body: '{}' };
    expect((await send('POST', `${inWorkspace}/webhooks`, body)).status).toBe(500);
  } finally {
    await knex.raw('alter table audit_events drop constraint broken');
  }
  expect(await knex('webhooks').orderBy('id')).toEqual(before);
});

test('an audit event contains the names of the changed fields but not their values', async () => {
  const webhook = `/api/v1/webhooks/${await addWebhook()}`;
  const fields = {
    name: 'secret-name',
    url: 'http://127.0.0.1:9/secret-path',
    headers: { 'Secret-Header': ['secret-value'] },
    enabled: true,
    rate_limit: { period_ms: 1_000, requests: 7 },
  };
  const { events: first } = await send('PATCH', webhook, fields);
  expect(first[0]?.changed_fields.toSorted()).toEqual(['headers', 'name', 'rate_limit', 'url']);
  expect(JSON.stringify(first).toLowerCase()).not.toContain('secret');
  const rateLimit = { requests: 7, period_ms: 1_000 };
  const { events: second } = await send('PATCH', webhook, { ...fields, rate_limit: rateLimit, body: '[]' });
  expect(second[0]?.changed_fields).toEqual(['body']);
  const rule = `/api/v1/alert_rules/${await addRule()}`;
  const { events: third } = await send('PATCH', rule, { threshold: 0.5, enabled: true, cooldown_seconds: 1 });
  expect(third[0]?.changed_fields.toSorted()).toEqual(['cooldown_seconds', 'threshold']);
});

test('a forced deletion of a webhook writes events for changed rules and workspace settings', async () => {
  const webhookId = await addWebhook();
  const rules = [await addRule([webhookId]), await addRule([webhookId])];
  await send('PATCH', `${inWorkspace}/settings`, { notice_webhook_ids: [webhookId] });
  const { events } = await send('DELETE', `/api/v1/webhooks/${webhookId}?force=true`);
  const shown = events.map(({ action, resource_id, changed_fields }) => [
    action,
    resource_id,
    ...changed_fields,
  ]);
  expect(shown.sort()).toEqual(
    [
      ['webhook.deleted', webhookId],
      ['workspace_settings.updated', workspaceId, 'notice_webhook_ids'],
      ...rules.map((id) => ['alert_rule.updated', id, 'notification_webhook_ids']),
    ].sort(),
  );
});

test('the automatic disabling of a webhook writes an audit event of the principal `system`', async () => {
  const webhookId = await addWebhook();
  const { knex } = api.database;
  const since = new Date(Date.now() - 3_600_000);
  await knex('webhook_health').insert({
    webhook_id: webhookId,
    failing: true,
    since,
    last_attempt_at: since,
  });
  for (let index = 0; index < 20; index += 1)
    await insertDelivery(api.database, { workspaceId, webhookId, status: 'failed' });
  await knex('deliveries').where({ webhook_id: webhookId }).update({ failed_at: new Date() });
  await reportWebhooks(api.database, { noticeAfterMs: 600_000, disableAfterMs: 60_000 });
  expect(await read(`?resource_id=${webhookId}&principal=system`)).toMatchObject([
    {
      action: 'webhook.updated',
      principal: 'system',
      changed_fields: ['enabled', 'disabled_reason'],
      request_id: null,
    },
  ]);
});

test('audit events are listed newest first, in pages, and can be filtered', async () => {
  const webhookId = await addWebhook();
  const webhook = `/api/v1/webhooks/${webhookId}`;
  for (let index = 0; index < 5; index += 1) await send('PATCH', webhook, { name: `Name ${index}` });
  await send('PATCH', webhook, { name: 'By the editor' }, { as: 'editor' });
  await send('DELETE', webhook);
  const all = await read(`?resource_id=${webhookId.toUpperCase()}`);
  expect(all.map(({ action }) => action)).toEqual(['webhook.deleted', ...Array(6).fill('webhook.updated')]);
  expect(all.map(({ time }) => time)).toEqual(
    all
      .map(({ time }) => time)
      .toSorted()
      .toReversed(),
  );
  const paged = await readAll<AuditEvent>(api, `${events}?resource_id=${webhookId}&limit=2`, { as: 'admin' });
  expect([paged.entries, paged.pages]).toEqual([all, 4]);
  const principal = encodeURIComponent(all[1]!.principal);
  expect(await read(`?resource_id=${webhookId}&principal=${principal}`)).toEqual([all[1]]);
  expect(await read(`?resource_id=${webhookId}&action=webhook.deleted`)).toEqual([all[0]]);
  const until = `until=${all[2]!.time}`;
  expect(await read(`?resource_id=${webhookId}&${until}`)).toEqual(all.slice(3));
  expect(await read(`?resource_id=${webhookId}&since=${all[2]!.time}`)).toEqual(all.slice(0, 3));
  const counted = `${events}?resource_id=${webhookId}&since=${all[2]!.time}&count=true&limit=1`;
  expect((await api.call('GET', counted, { as: 'admin' })).headers.get('x-total-count')).toBe('3');
  for (const query of ['?action=webhook', '?resource_id=x', '?principal=', '?since=today', '?limit=1001'])
    expect([query, (await api.call('GET', `${events}${query}`, { as: 'admin' })).status]).toEqual([
      query,
      422,
    ]);
});

test('the list of a workspace has only its audit events, and the list of the deployment has all', async () => {
  const elsewhere = `/api/v1/workspaces/${otherWorkspaceId}`;
  const body = { name: 'Elsewhere', url: 'http://127.0.0.1:9/', body: '{}' };
  const { body: made } = await api.call<{ id: string }>('POST', `${elsewhere}/webhooks`, {
    as: 'outsider',
    body,
  });
  await api.call('POST', `${elsewhere}/webhooks`, { as: 'outsider', body });
  expect(await read(`?resource_id=${made.id}`)).toEqual([]);
  const found = await api.call<AuditEvent[]>('GET', `${elsewhere}/audit_events?resource_id=${made.id}`, {
    as: 'outsider',
  });
  expect(found.body).toHaveLength(1);
  const ofAll = `/api/v1/audit_events?resource_id=${made.id}`;
  expect((await api.call('GET', ofAll, { as: 'admin' })).body).toEqual(found.body);
  const counted = await api.call('GET', `${ofAll}&count=true`, { as: 'admin' });
  expect(counted.headers.get('x-total-count')).toBe('1');
  for (const as of ['outsider', 'editor'] as const)
    expect([as, (await api.call('GET', ofAll, { as })).status]).toEqual([as, 403]);
});
