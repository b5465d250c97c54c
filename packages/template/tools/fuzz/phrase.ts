import fc from 'fast-check';

/** Fixed text with generated parts in it: a tagged template whose holes are arbitraries. */
export function phrase(
  pieces: TemplateStringsArray,
  ...parts: readonly fc.Arbitrary<string>[]
): fc.Arbitrary<string> {
  return fc
    .tuple(...parts)
    .map((texts) => pieces.reduce((text, piece, index) => text + texts[index - 1] + piece));
}

/** The words of a list that is separated by semicolons, backslashes as they are written. */
export function words(pieces: TemplateStringsArray): string[] {
  return (pieces.raw[0] ?? '')
    .split(/\s;\s/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** One of the words, the first of them as the simplest. */
export function oneOf(list: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...list);
}
