import { createOpenApiDocument } from './openapi.js';
import { definePublicRoute, routeDefiner } from './route.js';

const thing = {
  title: 'Thing',
  type: 'object',
  properties: {
    title: { type: 'string' },
    parts: { type: 'array', items: { title: 'Part', type: 'object' } },
    size: { type: ['number', 'null'] },
    count: { type: 'integer' },
    kind: { const: 'thing' },
    version: { const: 1 },
  },
  examples: [{ title: 'A', kind: 'thing' }],
} as const;

interface Operation {
  operationId: string;
  requestBody?: { required: boolean; content: Record<string, object> };
  responses: Record<string, unknown>;
}

const open = {
  method: 'GET',
  path: '/open',
  operationId: 'open',
  summary: 'Open.',
  tag: 'a',
  access: 'public',
} as const;

const document = createOpenApiDocument({
  info: { title: 'Test', version: '1' },
  routes: [
    definePublicRoute({
      ...open,
      responses: { 200: { description: 'ok', contentType: 'text/html' } },
      handler: () => ({ status: 200, body: '' }),
    }),
    routeDefiner<unknown, 'thing_write'>()({
      method: 'PATCH',
      path: '/things/{thing_id}',
      operationId: 'patchThing',
      summary: 'Changes.',
      tag: 'b',
      access: { permission: 'thing_write', locate: () => ({ workspaceId: null, resource: null }) },
      params: {
        type: 'object',
        properties: { thing_id: { type: 'string', format: 'uuid' } },
        required: ['thing_id'],
      },
      query: { type: 'object', properties: { force: { type: 'boolean' } } },
      body: thing,
      responses: { 200: { description: 'ok', schema: thing, headers: { Location: 'where' } } },
      problems: [404, 409],
      conditional: true,
      handler: () => ({ status: 200, body: {} }),
    }),
    ...[thing, { ...thing, required: ['title'] } as const].map((body, index) =>
      routeDefiner<unknown, never>()({
        method: 'POST',
        path: `/things/${index}`,
        operationId: `postThing${index}`,
        summary: 'Creates.',
        tag: 'b',
        access: 'token',
        body,
        responses: { 204: { description: 'ok' } },
        handler: () => ({ status: 204 }),
      }),
    ),
    routeDefiner<unknown, never>()({
      method: 'ALL',
      path: '/verify',
      operationId: 'verify',
      summary: 'Verifies.',
      tag: 'a',
      access: 'token',
      responses: { 204: { description: 'ok' } },
      handler: () => ({ status: 204 }),
    }),
  ],
}) as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
};

test('a public operation requires no token and has only the errors that all operations have', () => {
  expect(document.paths['/open']?.get).toMatchObject({
    security: [],
    responses: { 200: { content: { 'text/html': {} } } },
  });
  expect(Object.keys(document.paths['/open']?.get?.responses ?? {})).toEqual([
    '200',
    '408',
    '431',
    'default',
  ]);
});

test('an operation has the parameters, body, permission and error responses of its route', () => {
  const operation = document.paths['/things/{thing_id}']?.patch;
  expect(operation).toMatchObject({
    'x-permission': 'thing_write',
    parameters: [
      { name: 'thing_id', in: 'path', required: true },
      { name: 'force', in: 'query', required: false },
      { name: 'If-Match', in: 'header', required: false },
    ],
    requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
  });
  expect(Object.keys(operation?.responses ?? {})).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '408',
    '409',
    '412',
    '413',
    '415',
    '422',
    '429',
    '431',
    '503',
    'default',
  ]);
});

test('problem responses have the headers of their status', () => {
  const { responses } = document.paths['/things/{thing_id}']!.patch!;
  const namesOf = (status: string) => Object.keys((responses[status] as { headers?: object }).headers ?? {});
  expect(['401', '409', '429', '503'].map(namesOf)).toEqual([
    ['WWW-Authenticate'],
    [],
    ['Retry-After'],
    ['Retry-After'],
  ]);
});

test('an example of a component has every required member', () => {
  const required = { ...thing, required: ['title', 'count', 'kind'] } as const;
  const { components } = createOpenApiDocument({
    info: { title: 'Test', version: '1' },
    routes: [
      definePublicRoute({
        ...open,
        responses: { 200: { description: 'ok', schema: required } },
        handler: () => ({ status: 200, body: { title: 'A', count: 1, kind: 'thing' } }),
      }),
    ],
  });
  expect(components).toMatchObject({
    schemas: { Thing: { examples: [{ title: 'A', kind: 'thing', count: 1 }] } },
  });
});

test('a schema with a title becomes a component, even if it has a property named title', () => {
  expect(Object.keys(document.components.schemas).sort()).toEqual(['Part', 'Problem', 'Thing']);
  expect(document.components.schemas.Thing).toMatchObject({
    properties: { title: { type: 'string' }, parts: { items: { $ref: '#/components/schemas/Part' } } },
  });
});

test('a route for all methods has a different operation id for each method', () => {
  const ids = Object.values(document.paths['/verify'] ?? {}).map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(5);
});

test('numbers in the OpenAPI document are doubles, and constants have a type', () => {
  expect(document.components.schemas.Thing).toMatchObject({
    properties: {
      size: { type: ['number', 'null'], format: 'double' },
      count: { type: 'integer' },
      kind: { type: 'string', const: 'thing' },
      version: { type: 'integer', const: 1 },
    },
  });
  expect(document.components.schemas.Thing).not.toHaveProperty('properties.count.format');
});

test('a request body is required for PATCH, or if a member of its schema is required', () => {
  const required = ['/things/0', '/things/1'].map(
    (path) => document.paths[path]?.post?.requestBody?.required,
  );
  expect([...required, document.paths['/things/{thing_id}']?.patch?.requestBody?.required]).toEqual([
    false,
    true,
    true,
  ]);
});

test('the first example of a body schema is the example of its operation', () => {
  const content = document.paths['/things/{thing_id}']?.patch?.requestBody?.content['application/json'];
  expect(content).toMatchObject({ example: { title: 'A', kind: 'thing' } });
});

test('the description of an operation states the permission that it needs', () => {
  const operation = document.paths['/things/{thing_id}']?.patch;
  expect(operation).toMatchObject({ description: expect.stringContaining('the permission `thing_write`') });
  expect(document.paths['/open']?.get).toMatchObject({ description: 'It needs no credential.' });
});

test('responses and path parameters in the OpenAPI document have examples', () => {
  expect(document.paths['/things/{thing_id}']?.patch).toMatchObject({
    parameters: [
      { name: 'thing_id', example: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { name: 'force' },
      { name: 'If-Match' },
    ],
    responses: { 200: { content: { 'application/json': { example: { title: 'A', kind: 'thing' } } } } },
  });
});

test('the bearer scheme describes an access token, or the credential that the service names', () => {
  const info = { title: 'Test', version: '1' };
  expect(createOpenApiDocument({ info, routes: [] })).toMatchObject({
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
  });
  const bearer = { description: 'A key.' };
  expect(createOpenApiDocument({ info, routes: [], bearer })).toMatchObject({
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A key.' } } },
  });
});

test('if a token endpoint is set, OpenAPI has an OAuth2 scheme next to the bearer scheme', () => {
  const info = { title: 'Test', version: '1' };
  const tokenUrl = 'https://login.example.com/token';
  expect(createOpenApiDocument({ info, routes: [], tokenUrl })).toMatchObject({
    security: [{ bearer: [] }, { oauth2: [] }],
    components: { securitySchemes: { oauth2: { flows: { clientCredentials: { tokenUrl } } } } },
  });
});
