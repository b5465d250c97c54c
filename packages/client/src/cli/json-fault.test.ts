import fc from 'fast-check';
import { findJsonFault } from './json-fault.js';

test.each([
  ['', 1, 1, 'a value is expected'],
  ['{"a": }', 1, 7, 'a value is expected'],
  ['{"a": 1,}', 1, 9, 'a name in double quotes is expected'],
  ['{"a" 1}', 1, 6, ': is expected'],
  ['{\n  "a": "b"\n  "c": 1\n}', 3, 3, ', or } is expected'],
  ['[1 2]', 1, 4, ', or ] is expected'],
  ['[1,]', 1, 4, 'a value is expected'],
  ['{} x', 1, 4, 'nothing more is expected'],
  ['{"a": "x\ny"}', 1, 9, 'the string is not right here'],
  ['{"a": "\\x"}', 1, 8, 'the string is not right here'],
  ['{"a": True}', 1, 7, 'a value is expected'],
  ['{"a": 01}', 1, 8, ', or } is expected'],
  ["{'a': 1}", 1, 2, 'a name in double quotes or } is expected'],
  ['{"a": NaN}', 1, 7, 'a value is expected'],
  ['["open', 1, 7, 'the string is not right here'],
])('%j stops being JSON at line %d, column %d: %s', (text, line, column, message) => {
  expect(findJsonFault(text)).toMatchObject({ line, column, message });
});

test('the line is shown with a mark, a long one cut around it', () => {
  expect(findJsonFault('{\n\t"a": x\n}')?.excerpt).toBe('\t"a": x\n\t     ^');
  const long = findJsonFault(`["${'a'.repeat(500)}" "${'b'.repeat(500)}"]`)?.excerpt ?? '';
  expect(long.split('\n')[0]).toMatch(/^…a+" "b+…$/);
  expect(long.length).toBeLessThan(220);
});

test('it finds a fault exactly where JSON.parse does not take the text', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const almost = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[]",:\\01e-. \n\u0001tn'))
    .map(([text, at, mark]) => {
      const position = at % (text.length + 1);
      return text.slice(0, position) + mark + text.slice(position + (at % 2));
    });
  fc.assert(
    fc.property(almost, (text) => (findJsonFault(text) === undefined) === isJson(text)),
    { numRuns: 2_000 },
  );
});

test('deep nesting and long strings are no harm', () => {
  expect(findJsonFault('['.repeat(100_000) + ']'.repeat(100_000))).toBeUndefined();
  expect(findJsonFault(`"${'\\n'.repeat(200_000)}`)).toMatchObject({ column: 400_002 });
});
