import { childPointer } from './json-pointer.js';

test('the pointer of a member has escaped characters and at most 200 characters of its name', () => {
  expect(childPointer('/a', 'b/c~d')).toBe('/a/b~1c~0d');
  expect(childPointer('', 'x'.repeat(201))).toBe(`/${'x'.repeat(200)}`);
});
