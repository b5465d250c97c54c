import fc from 'fast-check';
import { findBackward, findForward, includesText, partsBetween } from './find-text.js';

const texts = fc.string({ unit: fc.constantFrom('a', 'b', '\ud83d'), maxLength: 120 });
const parts = fc.string({ unit: fc.constantFrom('a', 'a', 'b'), minLength: 1, maxLength: 24 });

/** Texts that consist of few different characters, so that parts occur often and overlap. */
const searches = fc
  .tuple(texts, parts, fc.nat(6), fc.nat(150))
  .map(([text, part, times, from]) => ({ text: text + part.repeat(times) + text, part, from }));

test('findForward and findBackward return the same index as indexOf and lastIndexOf', () => {
  fc.assert(
    fc.property(searches, ({ text, part, from }) => {
      const end = Math.min(from, text.length);
      expect(findForward(text, part)(from)).toBe(text.indexOf(part, from));
      expect(findBackward(text, part)(end)).toBe(
        end < part.length ? -1 : text.lastIndexOf(part, end - part.length),
      );
      expect(includesText(text, part)).toBe(text.includes(part));
      expect(partsBetween(text, part)).toEqual(text.split(part));
    }),
    { numRuns: 2_000 },
  );
});

test('a search for a part that is longer than the text returns -1', () => {
  const part = 'a'.repeat(40);
  expect([findForward('aa', part)(0), findBackward('aa', part)(2)]).toEqual([-1, -1]);
  expect(partsBetween('aa', part)).toEqual(['aa']);
});
