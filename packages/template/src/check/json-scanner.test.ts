import fc from 'fast-check';
import { findJsonFault, scanJson } from './json-scanner.js';

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
])('scanJson finds in %j an error at index %i: %s', (text, offset, problem) => {
  expect(scanJson(text).fault).toEqual({ offset, problem });
});

test('duplicate keys are found also if one of them contains escapes', () => {
  expect(scanJson('{"a": {"a": 1}, "\\u0061": 2}').duplicateKeys).toEqual([{ key: 'a', offset: 16 }]);
});

test.each([
  ['', 1, 1],
  ['{"a": }', 1, 7],
  ['{"a": 1,}', 1, 8],
  ['{\n  "a": churn\n}', 2, 8],
  ['["a" "b"]', 1, 6],
  ['{"a": "x\ny"}', 1, 9],
  ['1 2', 1, 3],
])('findJsonFault finds in %j an error at line %i, column %i', (text, line, column) => {
  expect(findJsonFault(text)).toMatchObject({ line, column });
});

test('the message of a JSON error contains no part of the text, which can be secret', () => {
  expect(findJsonFault('{"token": s3cret}')?.message).not.toContain('s3cret');
});

test('findJsonFault agrees with JSON.parse for texts that are nearly JSON', () => {
  const nearly = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', '\\', '\n', '0', 'e'))
    .map(
      ([text, at, extra]) =>
        text.slice(0, at % (text.length + 1)) + extra + text.slice((at % (text.length + 1)) + 1),
    );
  fc.assert(fc.property(nearly, (text) => (findJsonFault(text) === undefined) === isJson(text)));
});

test('deep and long texts do not overflow the stack', () => {
  expect(findJsonFault('['.repeat(100_000))).toMatchObject({ line: 1 });
  expect(findJsonFault(`"${'x'.repeat(400_000)}`)).toMatchObject({ line: 1 });
});
