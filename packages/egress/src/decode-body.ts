import { TextDecoder } from 'node:util';

/**
 * Decodes a body with the charset of `contentType`, or as UTF-8. U+FFFD replaces invalid bytes, and also NUL
 * characters, because PostgreSQL cannot store these. An incomplete character at the end of a cut body is removed.
 * @param maxBytes maximum length of the text in bytes of UTF-8; a longer text is shortened, which can be necessary
 *   because the text can have more bytes than `body`
 */
export function decodeBody(
  body: Buffer,
  { contentType, isCut, maxBytes }: { contentType: string | undefined; isCut: boolean; maxBytes: number },
): { text: string; isShortened: boolean } {
  const charset = contentType === undefined ? undefined : /;\s*charset="?([^\s;"]+)/i.exec(contentType)?.[1];
  // For UTF-8, `Buffer.toString()` is several times faster than `TextDecoder`. It returns the same text, except that it
  // keeps a byte order mark.
  const decoded =
    !isCut && (charset === undefined || /^utf-?8$/i.test(charset))
      ? body.toString()
      : decodeAs(charset, body, isCut);
  const text = decoded.includes('\0') ? decoded.replaceAll('\0', '\ufffd') : decoded;
  // A UTF-16 code unit takes at most three bytes in UTF-8. Most texts are so short that this estimate is sufficient.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return { text, isShortened: false };
  const shortened = new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
  return { text: shortened, isShortened: true };
}

function decodeAs(charset: string | undefined, body: Buffer, isCut: boolean): string {
  const decoder = createDecoder(charset);
  return decoder.encoding === 'utf-8' && !isCut ? body.toString() : decoder.decode(body, { stream: isCut });
}

function createDecoder(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // An unknown charset is decoded as UTF-8, the most probable one.
    return new TextDecoder();
  }
}
