import { isIdentifier } from './characters.js';

test('a text is an identifier only if its own characters are allowed in one, as in Python', () => {
  expect(['größe', 'a\u0e33', 'a①', 'ﷺ', '1a'].map(isIdentifier)).toEqual([true, true, false, false, false]);
});
