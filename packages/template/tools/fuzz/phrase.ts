import fc from 'fast-check';

/** Generates text: a template tag whose placeholders are arbitraries of fast-check. The other text is fixed. */
export function phrase(
  pieces: TemplateStringsArray,
  ...parts: readonly fc.Arbitrary<string>[]
): fc.Arbitrary<string> {
  return fc
    .tuple(...parts)
    .map((texts) => pieces.reduce((text, piece, index) => text + texts[index - 1] + piece));
}

/** Splits a list at semicolons: a template tag in which backslashes are not escapes. */
export function words(pieces: TemplateStringsArray): string[] {
  return (pieces.raw[0] ?? '')
    .split(/\s;\s/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Generates one of the words. fast-check shrinks towards the first word. */
export function oneOf(list: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...list);
}
