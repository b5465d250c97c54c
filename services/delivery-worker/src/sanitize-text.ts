/** Replaces by U+FFFD the characters that PostgreSQL cannot store in a text: NUL and lone surrogates. */
export function sanitizeText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export function sanitizeOrNull(text: string | undefined): string | null {
  return text === undefined ? null : sanitizeText(text);
}
