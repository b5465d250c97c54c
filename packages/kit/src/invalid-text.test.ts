import { findInvalidText } from './invalid-text.js';

const nul = 'must not contain a NUL character';
const surrogate = 'must not contain a lone surrogate';

test.each<[name: string, value: unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a number', 1],
  ['text', 'Grüße, 日本語, 😀'],
  ['members of every kind', { a: [1, true, null, 'x', { 'b/~': ['y'] }], '😀': {} }],
])('the text check accepts %s', (_name, value) => {
  expect(findInvalidText(value)).toBeUndefined();
});

test.each<[name: string, value: unknown, path: string, message: string]>([
  ['the value itself', 'a\0b', '', nul],
  ['a lone surrogate', { name: 'x\ud83d' }, '/name', surrogate],
  ['deep inside', { a: { b: ['x', ['y', '\0']] } }, '/a/b/1/1', nul],
  ['under a name that a pointer escapes', { 'a/b~c': ['\udc00'] }, '/a~1b~0c/0', surrogate],
  ['a name', { a: { 'b\0': 1 } }, '/a', `has a name that ${nul}`],
  ['a name of the value itself', { '\ud800': 1 }, '', `has a name that ${surrogate}`],
  ['under __proto__', JSON.parse('{"__proto__":{"a":"\\u0000"}}'), '/__proto__/a', nul],
])('text that cannot be stored (%s) is reported with its path', (_name, value, path, message) => {
  expect(findInvalidText(value)).toEqual({ path, message });
});

test('a NUL inside 200,000 nested lists is found, and the path in its error is truncated', () => {
  const depth = 200_000;
  const nested = JSON.parse(`${'['.repeat(depth)}"\\u0000"${']'.repeat(depth)}`);
  expect(findInvalidText(nested)?.path).toBe(`${'/0'.repeat(250)}…`);
});
