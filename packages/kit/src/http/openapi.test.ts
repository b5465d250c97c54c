import { createOpenApiDocument } from './openapi.js';
import { definePublicRoute, routeDefiner } from './route.js';

const thing = {
  title: 'Thing',
  type: 'object',
  properties: {
    title: { type: 'string' },
    parts: { type: 'array', items: { title: 'Part', type: 'object' } },
  },
} as const;

const document = createOpenApiDocument({
  info: { title: 'Test', version: '1' },
  routes: [
    definePublicRoute({
      method: 'GET',
      path: '/open',
      operationId: 'open',
      summary: 'Open.',
      tag: 'a',
      access: 'public',
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
      handler: () => ({ status: 200, body: {} }),
    }),
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
  paths: Record<string, Record<string, { responses: Record<string, unknown>; operationId: string }>>;
  components: { schemas: Record<string, unknown> };
};

test('a public operation has no security and no error responses', () => {
  expect(document.paths['/open']?.get).toMatchObject({
    security: [],
    responses: { 200: { content: { 'text/html': {} } } },
  });
  expect(Object.keys(document.paths['/open']?.get?.responses ?? {})).toEqual(['200']);
});

test('parameters, body, permission and error responses come from the route', () => {
  const operation = document.paths['/things/{thing_id}']?.patch;
  expect(operation).toMatchObject({
    'x-permission': 'thing_write',
    parameters: [
      { name: 'thing_id', in: 'path', required: true },
      { name: 'force', in: 'query', required: false },
    ],
    requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
  });
  expect(Object.keys(operation?.responses ?? {})).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '409',
    '413',
    '415',
    '422',
    '429',
    '503',
  ]);
});

test('titled schemas become components, and a property named title does not', () => {
  expect(Object.keys(document.components.schemas).sort()).toEqual(['Part', 'Problem', 'Thing']);
  expect(document.components.schemas.Thing).toMatchObject({
    properties: { title: { type: 'string' }, parts: { items: { $ref: '#/components/schemas/Part' } } },
  });
});

test('a route for all methods has one operation id for each method', () => {
  const ids = Object.values(document.paths['/verify'] ?? {}).map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(5);
});
