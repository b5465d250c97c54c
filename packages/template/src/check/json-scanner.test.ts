import fc from 'fast-check';
import { scanJson } from './json-scanner.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const pieces = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  '"a"',
  '"\\n"',
  '\\',
  '1',
  '-',
  '0',
  '.5',
  'e3',
  'true',
  'null',
  ' ',
  '\n',
  'x',
  '\u0001',
  '\u2028',
);

test('the scanner accepts exactly the texts that JSON.parse accepts', () => {
  const damaged = fc.tuple(fc.json(), fc.nat(), pieces).map(([text, at, piece]) => {
    const index = at % (text.length + 1);
    return text.slice(0, index) + piece + text.slice(index);
  });
  const text = fc.oneof(
    fc.json(),
    damaged,
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      expect([candidate, scanJson(candidate).fault === null]).toEqual([candidate, isJson(candidate)]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['{"a": 1,}', 7, 'comma before a closing bracket'],
  ['[1 2]', 3, 'comma expected'],
  ['{"a" 1}', 5, 'colon expected'],
  ['{a: 1}', 1, 'key expected'],
  ['["\n"]', 2, 'control character in a string'],
  ['["\\x"]', 2, 'invalid escape in a string'],
  ['["abc', 1, 'unterminated string'],
  ['[01]', 1, 'invalid number'],
  ['1 2', 2, 'text after the value'],
  ['[1', 2, 'unexpected end'],
  ['['.repeat(600), 501, 'nested too deeply'],
])('%j has a fault at index %i: %s', (text, offset, problem) => {
  expect(scanJson(text).fault).toEqual({ offset, problem });
});

test('duplicate keys are found by their decoded text', () => {
  expect(scanJson('{"a": {"a": 1}, "\\u0061": 2}').duplicateKeys).toEqual([{ key: 'a', offset: 16 }]);
});
