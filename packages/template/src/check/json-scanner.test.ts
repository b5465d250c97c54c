import fc from 'fast-check';
import { readMarked } from '../../test/support/marked-text.js';
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

test('scanJson accepts a random text if and only if JSON.parse accepts the text', () => {
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

/** Texts for each kind of error. In each text, `▸` marks the position of the error. */
const faults = {
  'comma before a closing bracket': ['{"a": 1▸,}', '[1▸,}', '{"a": 1▸,]'],
  'comma expected': ['[1 ▸2]', '[1, 2▸}', '{"a": 1▸]'],
  'colon expected': ['{"a" ▸1}'],
  'key expected': ['{▸a: 1}'],
  'control character in a string': ['["▸\n"]', '["▸\u001f"]'],
  'invalid escape in a string': [
    '["▸\\x"]',
    '["▸\\xabcd"]',
    '["▸\\ux1234"]',
    '["▸\\u12x4"]',
    '["▸\\u123"]',
    '["▸\\',
  ],
  'unterminated string': ['[▸"abc'],
  'invalid number': ['[▸01]', '[▸1.]', '[▸1e]', '[▸-]', '[▸1-2]', '[▸1+2]', '[▸1x]'],
  'text after the value': ['1 ▸2'],
  'unexpected end': ['[1▸'],
  'nested too deeply': [
    `${'['.repeat(501)}▸${'['.repeat(99)}`,
    `${'{"a":'.repeat(501)}▸${'{"a":'.repeat(99)}`,
  ],
  'value expected': ['[▸}', '{"a": ▸tru}', '[▸+1]', '[▸\u00a01]'],
};

const markedFaults = Object.entries(faults).flatMap(([problem, texts]) =>
  texts.map((marked) => [problem, marked] as const),
);

test.each(markedFaults)('scanJson finds the error "%s" at the position of ▸ in %j', (problem, marked) => {
  const { text, offset } = readMarked(marked);
  expect(scanJson(text).fault).toEqual({ offset, problem });
});

test('duplicate keys are found even if one of them contains escapes', () => {
  expect(scanJson('{"a": {"a": 1}, "\\u0061": 2}').duplicateKeys).toEqual([{ key: 'a', offset: 16 }]);
});

test.each(['▸', '{"a": ▸}', '{"a": 1▸,}', '{\n  "a": ▸churn\n}', '["a" ▸"b"]', '{"a": "x▸\ny"}', '1 ▸2'])(
  'findJsonFault returns for %j an error with the line and column of ▸',
  (marked) => {
    const { text, line, column } = readMarked(marked);
    expect(findJsonFault(text)).toMatchObject({ line, column });
  },
);

test('the message of a JSON error contains no part of the text, which can be secret', () => {
  expect(findJsonFault('{"token": s3cret}')?.message).not.toContain('s3cret');
});

test('findJsonFault rejects a text that is nearly JSON if and only if JSON.parse rejects it', () => {
  const nearly = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', '\\', '\n', '0', 'e'))
    .map(
      ([text, at, extra]) =>
        text.slice(0, at % (text.length + 1)) + extra + text.slice((at % (text.length + 1)) + 1),
    );
  fc.assert(fc.property(nearly, (text) => (findJsonFault(text) === undefined) === isJson(text)));
});

test('deeply nested texts and long texts do not overflow the stack', () => {
  expect(findJsonFault('['.repeat(100_000))).toMatchObject({ line: 1 });
  expect(findJsonFault(`"${'x'.repeat(400_000)}`)).toMatchObject({ line: 1 });
});

test.each([
  ['{"a": }', 'a value is expected here'],
  ['[1 2]', 'a comma or a closing bracket is expected here'],
  ['{"a" 1}', 'a colon is expected here'],
  ['{a: 1}', 'a key in double quotes is expected here'],
  ['[1,]', 'a comma before a closing bracket is not allowed; remove it'],
  ['["\n"]', 'a string contains a line break or tab; write \\n or \\t'],
  ['["\\x"]', 'a backslash in a string must begin an escape such as \\n or \\"; write \\\\ for a backslash'],
  ['["abc', 'the string that begins here is never closed'],
  ['[01]', 'this is not a JSON number'],
  ['1 2', 'the JSON value ends before this text'],
  ['[1', 'the result ends here, but a value or a closing bracket is missing'],
  [`${'['.repeat(600)}x`, 'the result is nested too deeply'],
])('the message of the JSON error in %j is: %s', (text, message) => {
  expect(findJsonFault(text)?.message).toBe(message);
});

test('valid JSON has no error', () => {
  expect(findJsonFault('{"a": [1, "b", null]}')).toBeUndefined();
});

test('scanJson returns the positions of all strings with their quotes, keys included', () => {
  expect(scanJson(' {"a": "b\\"c", "d": [1, ""]}').strings).toEqual([
    { start: 2, end: 5 },
    { start: 7, end: 13 },
    { start: 15, end: 18 },
    { start: 24, end: 26 },
  ]);
});

test.each([
  '"\\u00e9"',
  '"\\uABCD"',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t"',
  '-0.5e+10',
  '1E-2',
  '2e7',
  '1.25',
  '0',
  '-12',
  ' \t\n\r[ ] ',
])('the text %j is JSON', (text) => {
  expect(scanJson(text).fault).toBeNull();
});
