import { randomUUID } from 'node:crypto';
import type { Permission } from '@tocsin/identity';
import { startApi, type TestApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';
import type { Role } from './support/tokens.js';

/** Roles below the one of the deployment. */
const readers = ['reader', 'responder', 'editor'] as const;
const alertReaders = [...readers, 'publisher'] as const;
const responders = ['responder', 'editor'] as const;
const editors = ['editor'] as const;
const publishers = ['publisher'] as const;
const nobody = [] as const;

/** Operations with the permission that each needs and the roles that have it. An admin of the deployment has all. */
const operations = {
  testWebhook: ['workspace_test_webhook', editors],
  testSavedWebhook: ['workspace_test_webhook', editors],
  previewTemplate: ['workspace_test_webhook', editors],
  createWebhook: ['workspace_create_webhook', editors],
  listWebhooks: ['workspace_list_webhooks', readers],
  getWebhook: ['webhook_read', readers],
  updateWebhook: ['webhook_update', editors],
  deleteWebhook: ['webhook_delete', editors],
  createAlertRule: ['workspace_create_alert_rule', editors],
  listAlertRules: ['workspace_list_alert_rules', readers],
  getAlertRule: ['alert_rule_read', readers],
  updateAlertRule: ['alert_rule_update', editors],
  deleteAlertRule: ['alert_rule_delete', editors],
  publishAlert: ['workspace_publish_alert', publishers],
  publishAlertBatch: ['workspace_publish_alert', publishers],
  listAlerts: ['alert_read', alertReaders],
  getAlert: ['alert_read', alertReaders],
  dispatchAlert: ['delivery_redeliver', responders],
  listDeliveries: ['delivery_read', readers],
  getDelivery: ['delivery_read', readers],
  getDeliveryStats: ['delivery_read', readers],
  redeliver: ['delivery_redeliver', responders],
  createRedelivery: ['delivery_redeliver', responders],
  listRedeliveries: ['delivery_redeliver', responders],
  getRedelivery: ['delivery_redeliver', responders],
  cancelRedelivery: ['delivery_redeliver', responders],
  cancelDelivery: ['delivery_redeliver', responders],
  createCancellation: ['delivery_redeliver', responders],
  listCancellations: ['delivery_redeliver', responders],
  getCancellation: ['delivery_redeliver', responders],
  cancelCancellation: ['delivery_redeliver', responders],
  createDispatch: ['delivery_redeliver', responders],
  listDispatches: ['delivery_redeliver', responders],
  getDispatch: ['delivery_redeliver', responders],
  cancelDispatch: ['delivery_redeliver', responders],
  createSigningSecret: ['webhook_update', editors],
  listSigningSecrets: ['webhook_update', editors],
  deleteSigningSecret: ['webhook_update', editors],
  getWorkspaceSettings: ['workspace_read_settings', alertReaders],
  updateWorkspaceSettings: ['workspace_update_settings', nobody],
  listWorkspaceDeadLetters: ['workspace_dead_letter_read', [...responders, 'publisher']],
  listAuditEvents: ['audit_read', nobody],
  listAllAuditEvents: ['audit_read', nobody],
  listDeadLetters: ['dead_letter_read', nobody],
  requeueDeadLetter: ['dead_letter_requeue', nobody],
} satisfies Record<string, [Permission, readonly Role[]]>;

interface Operation {
  method: string;
  path: string;
  operationId: string;
  'x-permission'?: string;
}

let api: TestApi;
let documented: Operation[];
beforeAll(async () => {
  api = await startApi();
  const { body } = await api.call<{ paths: Record<string, Record<string, Operation>> }>(
    'GET',
    '/openapi.json',
  );
  documented = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );
});
afterAll(() => api.close());

test('the operations need the permissions of this table', () => {
  const permissions = documented.map(({ operationId, 'x-permission': permission }) => [
    operationId,
    permission,
  ]);
  const expected = Object.entries(operations).map(([id, [permission]]) => [id, permission]);
  expect(Object.fromEntries(permissions)).toMatchObject(Object.fromEntries(expected));
});

test('every operation in a workspace is 403 for callers without a role in it', async () => {
  const inWorkspace = documented.filter(({ path }) => path.includes('{workspace_id}'));
  expect(inWorkspace.length).toBeGreaterThan(20);
  for (const { method, path, operationId } of inWorkspace) {
    const target = path.replace('{workspace_id}', workspaceId).replaceAll(/\{[^}]+\}/g, randomUUID());
    const { status } = await api.call(method, target, { as: 'outsider' });
    expect([operationId, status]).toEqual([operationId, 403]);
  }
});

test.each(Object.keys(operations))('%s is 403 exactly for the roles without its permission', async (id) => {
  const [, allowed] = operations[id as keyof typeof operations];
  const { method, path } = documented.find(({ operationId }) => operationId === id)!;
  const ids: Record<string, string> = {
    workspace_id: workspaceId,
    ...(path.includes('{webhook_id}') && { webhook_id: await created('webhooks', webhook) }),
    ...(path.includes('{alert_rule_id}') && { alert_rule_id: await created('alert_rules', rule) }),
    ...(path.includes('{delivery_id}') && { delivery_id: await seedDelivery(api.database) }),
  };
  const target = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => ids[name] ?? randomUUID());
  // The permitted roles come last: their requests can delete the resource.
  const roles = ['outsider', 'reader', 'responder', 'editor', 'publisher', 'admin'] as const;
  const permitted = (role: Role) => role === 'admin' || (allowed as readonly Role[]).includes(role);
  for (const as of [...roles].sort((a, b) => Number(permitted(a)) - Number(permitted(b)))) {
    const { status } = await api.call(method, target, { as, ...(method !== 'GET' && { body: {} }) });
    // A permitted request without content is 422, and its second repetition can meet a deleted resource.
    expect([as, status === 403, status < 500]).toEqual([as, !permitted(as), true]);
  }
});

const webhook = { name: 'Hook', url: 'http://127.0.0.1:9/', body: '{}' };
const rule = { name: 'Rule', model_id: randomUUID(), threshold: 1, bound: 'upper_bound' };

async function created(collection: string, body: object): Promise<string> {
  const path = `/api/v1/workspaces/${workspaceId}/${collection}`;
  return (await api.call<{ id: string }>('POST', path, { body })).body.id;
}
