import { parseQuery } from './parse-query.js';

const schema = {
  type: 'object',
  properties: { list: { type: 'array', items: { type: 'string' } }, one: { type: 'string' } },
} as const;
const parse = (target: string) => ({ ...parseQuery(target, schema) });

test.each([
  ['/path', {}],
  ['/path?', {}],
  ['/path?one=1', { one: '1' }],
  ['/path?&one=1&&', { one: '1' }],
  ['/path?one', { one: '' }],
  ['/path?=x', { '': 'x' }],
  ['/path?one=a=b', { one: 'a=b' }],
  ['/path?one=a%2Bb+c%26?', { one: 'a+b c&?' }],
  ['/path?%6Fne=1', { one: '1' }],
  ['/path?list=a', { list: ['a'] }],
  ['/path?list=b&list=a&list', { list: ['b', 'a', ''] }],
  ['/path?other=1', { other: '1' }],
])('the query of %s is parsed to %j', (target, expected) => {
  expect(parse(target)).toEqual(expected);
});

test('at most twenty repetitions of a query parameter are reported, each with its name', () => {
  const repeated = (count: number) => `/path?one=1${'&one=1'.repeat(count)}`;
  const error = { path: 'one', message: 'must be given once' };
  expect(() => parse(repeated(2))).toThrow(
    expect.objectContaining({ code: 'validation_failed', errors: [error, error] }),
  );
  expect(() => parse(repeated(30))).toThrow(expect.objectContaining({ errors: Array(20).fill(error) }));
});

test('a malformed percent escape in the name or value of a parameter is rejected', () => {
  for (const target of ['/path?one=%zz', '/path?%e0%a4=1'])
    expect(() => parse(target)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('without a schema, each query parameter is parsed as a single value', () => {
  expect({ ...parseQuery('/path?list=a', undefined) }).toEqual({ list: 'a' });
});
