import { randomUUID } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { createSchemaCompiler } from '@tocsin/kit';
import { useApi, workspaceId } from './support/api.js';
import { seedDelivery } from './support/history.js';

interface Operation {
  method: string;
  path: string;
  parameters: { name: string; in: string; example?: unknown }[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}

interface Content {
  schema?: object;
  example?: object;
}

interface ApiDocument {
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>;
  webhooks: Record<string, { post: Omit<Operation, 'method' | 'path'> }>;
  components: { schemas: object; securitySchemes: Record<string, object> };
}

const api = useApi();
let document: ApiDocument;
let operations: Operation[];
beforeAll(async () => {
  document = (await api.call<ApiDocument>('GET', '/openapi.json')).body;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );
});

const exampleOf = ({ requestBody }: Operation) => requestBody?.content['application/json']?.example;

/**
 * Calls an operation. Each path parameter is the id of a new resource, or an unknown id if the test cannot create such
 * a resource.
 */
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
    // Only an open delivery can be cancelled. A redelivery is tested with an ended delivery.
    delivery_id: await seedDelivery(api.database, { status: path.endsWith('/cancel') ? 'open' : 'failed' }),
  };
  const target = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => ids[name] ?? randomUUID());
  return api.call(method, target, { as: 'admin', body });
}

test('the OpenAPI example of every write operation is accepted', async () => {
  const writes = operations.filter(({ requestBody }) => requestBody !== undefined);
  expect(writes.length).toBeGreaterThan(10);
  for (const operation of writes) {
    const name = `${operation.method} ${operation.path}`;
    const { status } = await send(operation, exampleOf(operation));
    const isUnknownId = status === 404 && /\{(alert|dead_letter)_id\}/.test(operation.path);
    expect([name, isUnknownId || status < 300]).toEqual([name, true]);
  }
});

test('exactly the operations that require a body in OpenAPI reject a request without a body', async () => {
  for (const operation of operations.filter(({ requestBody }) => requestBody !== undefined)) {
    const { status } = await send(operation);
    const rejected = operation.method === 'PATCH' ? [400] : operation.requestBody?.required ? [422] : [];
    const name = `${operation.method} ${operation.path}`;
    expect([name, [400, 422].filter((other) => other === status)]).toEqual([name, rejected]);
  }
});

test('the default response of every OpenAPI operation is a problem document', () => {
  for (const { responses } of operations) {
    expect(responses.default?.content).toHaveProperty(['application/problem+json']);
  }
});

test('OpenAPI examples of paths, bodies, responses and schemas are valid by their schemas', () => {
  const compile = createSchemaCompiler();
  for (const { method, path, parameters, requestBody, responses } of operations) {
    const unshown = parameters.filter(
      (parameter) => parameter.in === 'path' && parameter.example === undefined,
    );
    expect([path, unshown]).toEqual([path, []]);
    const contents = [requestBody, ...Object.values(responses)].flatMap(
      (part) => part?.content?.['application/json'] ?? [],
    );
    for (const { schema, example } of contents) {
      const check = compile(withDefinitions(schema));
      expect([method, path, example, check(example)]).toEqual([method, path, expect.anything(), []]);
    }
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const check = compile(withDefinitions(schema));
    for (const example of (schema as { examples?: unknown[] }).examples ?? [])
      expect([name, check(example)]).toEqual([name, []]);
  }
});

/**
 * Returns a schema of the document with all definitions, so that it can be compiled alone. Formats that exist only for
 * client generators are removed.
 */
function withDefinitions(schema: object | undefined): object {
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
  return JSON.parse(
    text.replaceAll('#/components/schemas/', '#/$defs/').replaceAll(',"format":"double"', ''),
  );
}

test("OpenAPI names the provider's token endpoint for service accounts", async () => {
  expect(document.components.securitySchemes.oauth2).toEqual({
    type: 'oauth2',
    description: expect.any(String),
    flows: {
      clientCredentials: {
        tokenUrl: `${process.env.TOCSIN_TEST_OIDC_ISSUER}/protocol/openid-connect/token`,
        scopes: {},
      },
    },
  });
});

test('the OpenAPI document describes the request that a destination receives', () => {
  const { requestBody, responses } = document.webhooks.delivery!.post;
  expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/json']);
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['2XX', '3XX', '4XX', '5XX']));
});

test('an independent validator finds no error in the OpenAPI document', async () => {
  const result = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  expect(result).toEqual({ valid: true });
});
