import { hasBadVariable, substitute } from './variables.js';

const env = { A: 'a', B_2: '${A}', EMPTY: '', $: 'x' };

test.each([
  ['https://example.com', 'https://example.com'],
  ['${A}', 'a'],
  ['https://${A}/${B_2}?x=${EMPTY}$', 'https://a/${A}?x=$'],
  ['$${A}', '${A}'],
  ['$$${A}', '$${A}'],
  ['$A {A} $', '$A {A} $'],
])('substituting variables in %s returns %s', (text, value) => {
  expect(substitute(text, env)).toEqual({ value });
});

test('substitution reports the names of all unset variables in a text', () => {
  expect(substitute('${NONE}${A}${toString}', env)).toEqual({ unset: ['NONE', 'toString'] });
});

test.each(['${', '${}', '${1}', '${a-b}', '${A', '$${A}${b c}'])(
  'the text %s contains an invalid variable',
  (text) => {
    expect(hasBadVariable(text)).toBe(true);
  },
);

test.each(['${A}', '$${', '$${a-b}', '$', '{}'])('the text %s contains no invalid variable', (text) => {
  expect(hasBadVariable(text)).toBe(false);
});
