import { createSchemaCompiler } from './schema-check.js';
import { exampleOf } from './schema-example.js';

const uuid = { type: 'string', format: 'uuid' } as const;
const thing = {
  type: 'object',
  additionalProperties: false,
  properties: {
    id: uuid,
    at: { type: 'string', format: 'date-time' },
    url: { type: 'string', format: 'uri' },
    name: { type: 'string', examples: ['On-call'] },
    kind: { const: 'thing' },
    status: { type: 'string', enum: ['open', 'closed'] },
    error: { type: ['string', 'null'] },
    code: { enum: ['a', null] },
    parts: {
      type: 'array',
      items: { type: 'object', properties: { count: { type: 'integer', minimum: 3 } } },
    },
    texts: { type: 'object', additionalProperties: { type: 'string' } },
    rate: { type: 'number' },
    on: { type: 'boolean' },
  },
  required: ['id', 'status', 'rate'],
} as const;

test('the example of a schema without own examples is built from its parts and is valid', () => {
  const example = exampleOf(thing);
  expect(createSchemaCompiler()(thing)(example)).toEqual([]);
  expect(example).toMatchObject({
    name: 'On-call',
    kind: 'thing',
    status: 'open',
    error: null,
    code: null,
    parts: [{ count: 3 }],
    texts: {},
  });
});

test('the example in a schema is used, and missing required members are added to it', () => {
  const example = exampleOf({ ...thing, examples: [{ status: 'closed', name: 'Mine' }] });
  expect(example).toEqual({ id: expect.any(String), status: 'closed', rate: 1, name: 'Mine' });
});
