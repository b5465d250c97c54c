import type { JSONSchema } from 'json-schema-to-ts';
import { createSchemaCompiler } from './schema-check.js';

const compile = createSchemaCompiler();
const properties = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}]));
const names = (count: number) => Object.keys(properties(count)).join(', ');
const named = { pattern: '^[a-z]$', description: 'a lower-case letter' };
const validTime =
  'must be a time with seconds and a zone, such as 2025-01-31T12:00:00Z or 2025-01-31T14:00:00.5+02:00';
const fourDigits = 'must be within the years 0001 to 9999 in UTC';

test.each<[object, unknown, string, string]>([
  [{ type: 'string' }, 1, '', 'must be a string'],
  [{ type: 'number' }, '1', '', 'must be a number'],
  [{ type: 'integer' }, 1.5, '', 'must be a whole number'],
  [{ type: 'boolean' }, 1, '', 'must be true or false'],
  [{ type: 'object' }, 1, '', 'must be an object'],
  [{ type: 'array' }, 1, '', 'must be an array'],
  [{ type: 'null' }, 1, '', 'must be null'],
  [{ type: ['array', 'null'] }, 1, '', 'must be an array or null'],
  [{ enum: ['a', 1] }, 2, '', 'must be one of "a", 1'],
  [{ type: 'string', enum: ['a', 'b'] }, null, '', 'must be one of "a", "b"'],
  [{ const: 'a' }, 2, '', 'must be "a"'],
  [{ format: 'uuid' }, 'x', '', 'must be a UUID'],
  [{ format: 'date-time' }, 'x', '', validTime],
  [{ format: 'date-time' }, '2026-11-29T12:00Z', '', validTime],
  [{ format: 'date-time' }, '2026-11-29T12:00:00+0200', '', validTime],
  [{ format: 'date-time' }, '2026-02-30T00:00:00Z', '', validTime],
  [{ format: 'date-time' }, '2026-11-29T00:00:00 00:00', '', `${validTime}; in a URL, write + as %2B`],
  [{ format: 'date-time' }, '2026-11-29T00:00:00.25 01:30', '', `${validTime}; in a URL, write + as %2B`],
  [{ format: 'date-time' }, '0000-12-31T23:59:59Z', '', fourDigits],
  [{ format: 'date-time' }, '0001-01-01T00:00:00+23:59', '', fourDigits],
  [{ format: 'date-time' }, '9999-12-31T23:59:59.5-00:01', '', fourDigits],
  [{ format: 'uri' }, 'x', '', 'must be an absolute URL'],
  [{ format: 'printable' }, '\t', '', 'must have printable characters only'],
  [{ minLength: 1 }, '', '', 'must not be empty'],
  [{ minLength: 2 }, '', '', 'must NOT have fewer than 2 characters'],
  [{ 'x-max-bytes': 4 }, { a: 'bcde' }, '', 'must have at most 4 bytes of UTF-8, names included'],
  [named, 'A', '', 'must be a lower-case letter'],
  [{ pattern: '^a$' }, 'b', '', 'must match pattern "^a$"'],
  [{ propertyNames: named }, { A: 1 }, '/A', 'must be a lower-case letter'],
  [{ propertyNames: { maxLength: 1 } }, { 'a~/': 1 }, '/a~0~1', 'is not an allowed name'],
  [{ type: 'object', required: ['a'] }, {}, '/a', 'is required'],
  [
    { properties: properties(30), additionalProperties: false },
    { x: 1 },
    '/x',
    `is not a known property; known are ${names(30)}`,
  ],
  [{ properties: properties(31), additionalProperties: false }, { x: 1 }, '/x', 'is not a known property'],
  [{ additionalProperties: false }, { x: 1 }, '/x', 'is not a known property'],
  [{ properties: properties(2), minProperties: 1 }, {}, '', 'must have at least 1 of its properties: p0, p1'],
  [{ minimum: 1 }, 0, '', 'must be >= 1'],
])(
  'a violation of the schema %j by %j is described with a path and a reason',
  (schema, value, path, message) => {
    expect(compile(schema as JSONSchema)(value)).toEqual([{ path, message }]);
  },
);

test('a check lists at most twenty errors, or with `listAll: false` only the first error', () => {
  const check = compile({ type: 'array', items: { type: 'string' } });
  expect(check(Array(30).fill(1))).toHaveLength(20);
  expect(check(Array(30).fill(1), { listAll: false })).toEqual([{ path: '/0', message: 'must be a string' }]);
});

test.each(['0001-01-01T00:01:00+00:01', '9999-12-31T23:58:59.123456789-00:01', '2024-02-29T23:59:59+23:59'])(
  'the time %s is valid, because its year in UTC is between 0001 and 9999',
  (time) => {
    expect(compile({ format: 'date-time' })(time)).toEqual([]);
  },
);
