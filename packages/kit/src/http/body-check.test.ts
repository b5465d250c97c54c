import type { JSONSchema } from 'json-schema-to-ts';
import { createBodyCheck } from './body-check.js';
import { createSchemaCompiler } from './schema-check.js';

const compile = createSchemaCompiler();
const all = { listAll: true };

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}

test.each<[string, (inner: unknown) => unknown]>([
  ['arrays', (inner) => [inner]],
  ['objects', (inner) => ({ a: inner })],
])('a body of 100 nested %s is accepted, and one level more is rejected', (_, wrap) => {
  const check = createBodyCheck({}, compile);
  expect(check(nested(100, wrap), all).errors).toEqual([]);
  expect(() => check(nested(101, wrap), all)).toThrow(
    expect.objectContaining({
      errors: [{ path: '', message: 'must not be nested more than 100 levels deep' }],
    }),
  );
});

test('the error for a forbidden member name contains the path of the member', () => {
  const check = createBodyCheck({}, compile);
  const body = JSON.parse('{"a/b":[0,{"__proto__":1}]}');
  expect(() => check(body, all)).toThrow(
    expect.objectContaining({ errors: [{ path: '/a~1b/1/__proto__', message: 'is not an allowed name' }] }),
  );
});

test('for a list schema with x-items-apart, the check returns a value and errors for each item', () => {
  const schema = { type: 'array', maxItems: 4, items: { type: 'string' }, 'x-items-apart': true };
  const check = createBodyCheck(schema as JSONSchema, compile);
  const text = { path: '', message: 'must be a string' };
  const invalid = { path: '', message: 'must not contain a NUL character' };
  expect(check(['a', 1, '\0'], all)).toEqual({
    value: [
      { ok: true, value: 'a' },
      { ok: false, value: 1, errors: [text] },
      { ok: false, value: '\0', errors: [invalid] },
    ],
    errors: [],
  });
  expect(check([1, 1, 1, 1, 1], all).errors).toEqual([{ path: '', message: expect.any(String) }]);
});
