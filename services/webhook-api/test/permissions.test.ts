import { randomUUID } from 'node:crypto';
import type { Permission } from '@tocsin/identity';
import { startApi, type TestApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';
import type { Role } from './support/tokens.js';

/** Roles below the one of the deployment that may call an operation: section 1 of the interface, and docs/operate.md. */
const [readers, editors, publishers] = [['reader', 'editor'], ['editor'], ['publisher']] as const;
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
  listAlerts: ['alert_read', readers],
  getAlert: ['alert_read', readers],
  dispatchAlert: ['delivery_redeliver', editors],
  listDeliveries: ['delivery_read', readers],
  getDelivery: ['delivery_read', readers],
  getDeliveryStats: ['delivery_read', readers],
  redeliver: ['delivery_redeliver', editors],
  createRedelivery: ['delivery_redeliver', editors],
  listRedeliveries: ['delivery_redeliver', editors],
  getRedelivery: ['delivery_redeliver', editors],
  cancelRedelivery: ['delivery_redeliver', editors],
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

test('every operation with a permission needs the one of this table', () => {
  const permissions = documented.flatMap(({ operationId, 'x-permission': permission }) =>
    permission === undefined ? [] : [[operationId, permission]],
  );
  const expected = Object.entries(operations).map(([id, [permission]]) => [id, permission]);
  expect(Object.fromEntries(permissions)).toEqual(Object.fromEntries(expected));
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
  const roles = ['outsider', 'reader', 'editor', 'publisher', 'admin'] as const;
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
