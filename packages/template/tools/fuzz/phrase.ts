import fc from 'fast-check';

/**
 * Tag of a template literal. Returns an arbitrary of fast-check that generates texts: the fixed text of the literal, in
 * which a value of its arbitrary replaces each placeholder.
 */
export function phrase(
  pieces: TemplateStringsArray,
  ...parts: readonly fc.Arbitrary<string>[]
): fc.Arbitrary<string> {
  return fc
    .tuple(...parts)
    .map((texts) => pieces.reduce((text, piece, index) => text + texts[index - 1] + piece));
}

/**
 * Tag of a template literal that contains a list separated by semicolons. Returns the items. Backslashes are not
 * escapes.
 */
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
