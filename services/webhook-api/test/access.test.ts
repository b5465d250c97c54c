import { randomUUID } from 'node:crypto';
import type { Permission } from '@tocsin/identity';
import { useApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';
import type { Role } from './support/tokens.js';

// Each operation of the OpenAPI document is called with each role, so that every new route is tested. The lists of
// roles and permissions are copied from the specification, so that errors in the code are found.

const everyone: Role[] = ['reader', 'responder', 'editor', 'publisher', 'outsider', 'admin'];
const readers: Role[] = ['reader', 'responder', 'editor', 'admin'];
const responders: Role[] = ['responder', 'editor', 'admin'];
const editors: Role[] = ['editor', 'admin'];
const publishers: Role[] = ['publisher', 'admin'];
/** Roles that have each permission in the workspace. `admin` is also an administrator of the deployment. */
const rolesWith: Partial<Record<Permission, Role[]>> = {
  workspace_list_webhooks: readers,
  webhook_read: readers,
  workspace_list_alert_rules: readers,
  alert_rule_read: readers,
  alert_read: [...readers, 'publisher'],
  delivery_read: readers,
  workspace_test_webhook: editors,
  workspace_create_webhook: editors,
  webhook_update: editors,
  webhook_delete: editors,
  workspace_create_alert_rule: editors,
  alert_rule_update: editors,
  alert_rule_delete: editors,
  delivery_redeliver: responders,
  workspace_dead_letter_read: [...responders, 'publisher'],
  workspace_read_settings: [...readers, 'publisher'],
  workspace_update_settings: ['admin'],
  audit_read: ['admin'],
  workspace_publish_alert: publishers,
  dead_letter_read: ['admin'],
  dead_letter_requeue: ['admin'],
};
/** Permission that each operation needs. */
const permissionOf: Record<string, Permission> = {
  testWebhook: 'workspace_test_webhook',
  testSavedWebhook: 'workspace_test_webhook',
  previewTemplate: 'workspace_test_webhook',
  createWebhook: 'workspace_create_webhook',
  listWebhooks: 'workspace_list_webhooks',
  getWebhook: 'webhook_read',
  updateWebhook: 'webhook_update',
  deleteWebhook: 'webhook_delete',
  createAlertRule: 'workspace_create_alert_rule',
  listAlertRules: 'workspace_list_alert_rules',
  getAlertRule: 'alert_rule_read',
  updateAlertRule: 'alert_rule_update',
  deleteAlertRule: 'alert_rule_delete',
  publishAlert: 'workspace_publish_alert',
  publishAlertBatch: 'workspace_publish_alert',
  listAlerts: 'alert_read',
  getAlert: 'alert_read',
  dispatchAlert: 'delivery_redeliver',
  listDeliveries: 'delivery_read',
  getDelivery: 'delivery_read',
  getDeliveryStats: 'delivery_read',
  redeliver: 'delivery_redeliver',
  createRedelivery: 'delivery_redeliver',
  listRedeliveries: 'delivery_redeliver',
  getRedelivery: 'delivery_redeliver',
  cancelRedelivery: 'delivery_redeliver',
  cancelDelivery: 'delivery_redeliver',
  createCancellation: 'delivery_redeliver',
  listCancellations: 'delivery_redeliver',
  getCancellation: 'delivery_redeliver',
  cancelCancellation: 'delivery_redeliver',
  createDispatch: 'delivery_redeliver',
  listDispatches: 'delivery_redeliver',
  getDispatch: 'delivery_redeliver',
  cancelDispatch: 'delivery_redeliver',
  createSigningSecret: 'webhook_update',
  listSigningSecrets: 'webhook_update',
  deleteSigningSecret: 'webhook_update',
  getWorkspaceSettings: 'workspace_read_settings',
  updateWorkspaceSettings: 'workspace_update_settings',
  listWorkspaceDeadLetters: 'workspace_dead_letter_read',
  listAuditEvents: 'audit_read',
  listAllAuditEvents: 'audit_read',
  listDeadLetters: 'dead_letter_read',
  requeueDeadLetter: 'dead_letter_requeue',
};
/** Operations that need any valid token (`tokenOnly`) or no credential (`open`). */
const tokenOnly = ['GET /api/v1/whoami', 'GET /api/v1/workspaces'];
const open = ['GET /livez', 'GET /readyz'];

interface Operation {
  name: string;
  id: string;
  method: string;
  path: string;
  permission: Permission | undefined;
  isPublic: boolean;
  example: object | undefined;
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        'x-permission'?: Permission;
        security?: unknown[];
        requestBody?: { content: Record<string, { example?: object }> };
      }
    >
  >;
}

const api = useApi();
let operations: Operation[];
beforeAll(async () => {
  const { body } = await api.call<Document>('GET', '/openapi.json');
  operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      permission: operation['x-permission'],
      isPublic: operation.security?.length === 0,
      example: operation.requestBody?.content['application/json']?.example,
    })),
  );
});

/** Creates a resource with the OpenAPI example of its create operation, and returns the id of the resource. */
async function create(collection: string): Promise<string> {
  const creation = operations.find(({ name }) => name.startsWith('POST ') && name.endsWith(collection));
  const { body } = await api.call<{ id: string }>('POST', `/api/v1/workspaces/${workspaceId}${collection}`, {
    as: 'admin',
    body: creation?.example,
  });
  return body.id;
}

/**
 * Functions that return an id for a path parameter. Each call creates a resource, except for the workspace. Other
 * parameters get a random UUID.
 */
const idsOf: Record<string, () => Promise<string>> = {
  workspace_id: async () => workspaceId,
  webhook_id: () => create('/webhooks'),
  alert_rule_id: () => create('/alert_rules'),
  delivery_id: () => seedDelivery(api.database, { status: 'failed' }),
};

async function targetOf({ path }: Operation): Promise<string> {
  let target = path;
  for (const [parameter, name] of [...path.matchAll(/\{([^}]+)\}/g)].map(
    ([all, one]) => [all, one!] as const,
  ))
    target = target.replace(parameter, (await idsOf[name]?.()) ?? randomUUID());
  return target;
}

async function statusFor(operation: Operation, as: Role | undefined): Promise<number> {
  const { method, example } = operation;
  const target = await targetOf(operation);
  if (as !== undefined) return (await api.call<unknown>(method, target, { as, body: example })).status;
  const headers = { 'Content-Type': 'application/json' };
  const body = example === undefined ? null : JSON.stringify(example);
  return (await fetch(`${api.url}${target}`, { method, headers, body })).status;
}

test('each operation of the OpenAPI document has the permission that this file expects', () => {
  const needed = operations.filter(({ permission }) => permission !== undefined);
  expect(Object.fromEntries(needed.map(({ id, permission }) => [id, permission]))).toEqual(permissionOf);
});

test('only operations in `tokenOnly` and `open` need no permission, and those in `open` no token', () => {
  const others = operations.filter(({ permission }) => permission === undefined);
  const named = (wanted: boolean) => others.filter((one) => one.isPublic === wanted).map(({ name }) => name);
  expect(named(true).sort()).toEqual(open.sort());
  expect(named(false).sort()).toEqual(tokenOnly.sort());
  const used = new Set(operations.flatMap(({ permission }) => permission ?? []));
  expect([...used].sort()).toEqual(Object.keys(rolesWith).sort());
});

test('every operation that is not public responds with 401 to a request without a token', async () => {
  for (const operation of operations.filter(({ isPublic }) => !isPublic))
    expect([operation.name, await statusFor(operation, undefined)]).toEqual([operation.name, 401]);
});

test.each(everyone)(
  'the role %s can call the operations that its permissions allow, and no others',
  async (role) => {
    for (const operation of operations.filter(({ isPublic }) => !isPublic)) {
      const { name, permission } = operation;
      const isAllowed = permission === undefined || rolesWith[permission]!.includes(role);
      const status = await statusFor(operation, role);
      expect([name, isAllowed ? status < 500 && ![401, 403].includes(status) : status]).toEqual([
        name,
        isAllowed ? true : 403,
      ]);
    }
  },
  60_000,
);
