import { TextDecoder } from 'node:util';

/**
 * The text of a body: by the charset that `contentType` names, else UTF-8. What is no text becomes U+FFFD, and so
 * does NUL, which PostgreSQL refuses. A character that the end of a cut body splits is left out.
 * @param maxBytes bound on the text as UTF-8; decoding can make it longer than `body`
 */
export function decodeBody(
  body: Buffer,
  { contentType, isCut, maxBytes }: { contentType: string | undefined; isCut: boolean; maxBytes: number },
): { text: string; isShortened: boolean } {
  const charset = contentType === undefined ? undefined : /;\s*charset="?([^\s;"]+)/i.exec(contentType)?.[1];
  // For whole UTF-8, Buffer does the same replacing several times faster, and a decoder costs more than its work.
  const decoded =
    !isCut && (charset === undefined || /^utf-?8$/i.test(charset))
      ? body.toString()
      : decodeAs(charset, body, isCut);
  const text = decoded.includes('\0') ? decoded.replaceAll('\0', '\ufffd') : decoded;
  // A UTF-16 unit is three bytes of UTF-8 at most, so the usual body is not measured.
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
    // A charset that nobody knows: UTF-8 is the best guess.
    return new TextDecoder();
  }
}
