import { randomUUID } from 'node:crypto';
import { startApi, type TestApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';

interface Operation {
  method: string;
  path: string;
  requestBody?: { required: boolean; content: Record<string, { example?: object }> };
  responses: Record<string, { content?: Record<string, object> }>;
}

let api: TestApi;
let operations: Operation[];
beforeAll(async () => {
  api = await startApi();
  const { body } = await api.call<{
    paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  }>('GET', '/openapi.json');
  operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );
});
afterAll(() => api.close());

const exampleOf = ({ requestBody }: Operation) => requestBody?.content['application/json']?.example;

/** Sends a request to existing resources; the ids of others are unknown. */
async function send({ method, path }: Operation, body?: object) {
  const created = async (collection: string) => {
    const creation = operations.find((other) => other.method === 'POST' && other.path.endsWith(collection));
    const target = `/api/v1/workspaces/${workspaceId}${collection}`;
    const { body: resource } = await api.call<{ id: string }>('POST', target, { body: exampleOf(creation!) });
    return resource.id;
  };
  const ids: Record<string, string> = {
    workspace_id: workspaceId,
    webhook_id: await created('/webhooks'),
    alert_rule_id: await created('/alert_rules'),
    delivery_id: await seedDelivery(api.database, { status: 'failed' }),
  };
  const target = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => ids[name] ?? randomUUID());
  return api.call(method, target, { as: 'admin', body });
}

test('the example of every write operation is accepted', async () => {
  const writes = operations.filter(({ requestBody }) => requestBody !== undefined);
  expect(writes.length).toBeGreaterThan(10);
  for (const operation of writes) {
    const name = `${operation.method} ${operation.path}`;
    const { status } = await send(operation, exampleOf(operation));
    const isUnknownId = status === 404 && /\{(alert|dead_letter)_id\}/.test(operation.path);
    expect([name, isUnknownId || status < 300]).toEqual([name, true]);
  }
});

test('a request without a body is 400 or 422 exactly where the document requires one', async () => {
  for (const operation of operations.filter(({ requestBody }) => requestBody !== undefined)) {
    const { status } = await send(operation);
    const refused = operation.method === 'PATCH' ? [400] : operation.requestBody?.required ? [422] : [];
    const name = `${operation.method} ${operation.path}`;
    expect([name, [400, 422].filter((other) => other === status)]).toEqual([name, refused]);
  }
});

test('every operation has the problem document as its default response', () => {
  for (const { responses } of operations) {
    expect(responses.default?.content).toHaveProperty(['application/problem+json']);
  }
});
