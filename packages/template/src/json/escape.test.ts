import { Budget, defaultLimits } from '../budget.js';
import { endsInEscape, escapedAfter, escapeJsonString, escapeUnit } from './escape.js';

const newBudget = () => new Budget(defaultLimits, () => 0);
const escaped = (text: string) => escapeJsonString(text, newBudget());

test.each([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\0', '\\u0000'],
  ['\u001f', '\\u001f'],
  ['\u007f', '\\u007f'],
  ['\u009f', '\\u009f'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
  ['\ud800', '\\ud800'],
  ['\udfff', '\\udfff'],
])('the character %j is escaped as %s', (character, expected) => {
  expect(escaped(character)).toBe(expected);
  expect(escaped(`a${character}b${character}`)).toBe(`a${expected}b${expected}`);
  expect(JSON.parse(`"${escaped(character)}"`)).toBe(character);
  expect(escapeUnit(character)).toBe(expected);
});

test('characters without a special meaning in JSON are not escaped', () => {
  const text = " !#$%&'()*+,-./0:;<=>?@A[]^_`a{|}~\u00a0é\u2027\u202a\ue000日😀\u{10ffff}";
  expect(escaped(text)).toBe(text);
});

test('each escaped character costs one step of the template budget, and other characters none', () => {
  const budget = newBudget();
  escapeJsonString(`${'"'.repeat(9)}${'a'.repeat(1_000)}`, budget);
  expect(budget.steps).toBe(9);
});

test.each([
  ['', false, false],
  ['', true, true],
  ['a', true, false],
  ['\\', false, true],
  ['\\', true, false],
  ['\\\\', false, false],
  ['\\\\', true, true],
  ['a\\', true, true],
  ['a\\', false, true],
  ['a\\\\', true, false],
  ['\\a', false, false],
])('after the text %j with isInEscape %j, endsInEscape returns %j', (text, isInEscape, expected) => {
  expect(endsInEscape(text, isInEscape)).toBe(expected);
});

test('a backslash is inserted only between an open escape and a value that begins with an escape', () => {
  expect(escapedAfter(true, '\\"')).toBe('\\\\"');
  expect(escapedAfter(true, 'a')).toBe('a');
  expect(escapedAfter(false, '\\"')).toBe('\\"');
});
