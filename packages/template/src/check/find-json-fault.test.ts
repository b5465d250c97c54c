import fc from 'fast-check';
import { findJsonFault } from './json-scanner.js';

test.each([
  ['', 1, 1],
  ['{"a": }', 1, 7],
  ['{"a": 1,}', 1, 8],
  ['{\n  "a": churn\n}', 2, 8],
  ['["a" "b"]', 1, 6],
  ['{"a": "x\ny"}', 1, 9],
  ['1 2', 1, 3],
])('%j is not JSON, at line %i, column %i', (text, line, column) => {
  expect(findJsonFault(text)).toMatchObject({ line, column });
});

test('the message contains no part of the text, which can be secret', () => {
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
