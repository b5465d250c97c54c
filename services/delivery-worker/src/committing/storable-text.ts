/** PostgreSQL takes no NUL in a text, and a lone surrogate has no UTF-8: both become U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export function storableOrNull(text: string | undefined): string | null {
  return text === undefined ? null : storableText(text);
}
