import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SecretBox } from '@tocsin/database';
import { type AttemptKey, attemptLocation } from './secret-locations.js';

/** Request and response of an attempt. The caller has already redacted the secrets in the response. */
export interface AttemptContent {
  requestBody: string;
  /** Body of the response; empty if there was no response. */
  responseBody: string;
  /** Header `Location` of the response. */
  location?: string | undefined;
  /** Header `Retry-After` of the response. */
  retryAfter?: string | undefined;
}

type FirstLine = [requestBodyLength: number, location: string | null, retryAfter: string | null];

/** First byte of a compressed text. The first byte of an uncompressed text is the `[` of a JSON array. */
const compressedMark = 1;
const plainMark = '['.charCodeAt(0);

/**
 * Minimum length of a text to be compressed, in UTF-16 units. For shorter texts, a call of zlib costs more than the
 * bytes that it would save (docs/adr/0065).
 */
const compressedFrom = 2_048;
const compression = { level: 1 };

/** Maximum length of a text to be compressed, in UTF-16 units. The longest texts of workers have 330,000 units. */
const compressedTo = 600_000;
/** Maximum size of a decompressed text in bytes: a UTF-16 unit has up to 3 bytes in UTF-8. */
const maxTextBytes = 3 * compressedTo;

export function encryptAttempt(content: AttemptContent, attempt: AttemptKey, secretBox: SecretBox): Buffer {
  return secretBox.encrypt(encodeAttempt(content), attemptLocation(attempt));
}

/** @throws Error if the value cannot be decrypted, or as `decodeAttempt` does */
export function decryptAttempt(encrypted: Buffer, attempt: AttemptKey, secretBox: SecretBox): AttemptContent {
  return decodeAttempt(secretBox.decrypt(encrypted, attemptLocation(attempt)));
}

/**
 * Joins the content of an attempt into one text. It is stored as one encrypted value, because each encryption has a
 * fixed cost of about 4 µs. The first line is JSON, and the bodies follow unchanged, because JSON would make a body of
 * control characters six times as long. A text of 2,048 to 600,000 UTF-16 units is compressed if the result has at most
 * 0.9 bytes for each of these units.
 */
export function encodeAttempt({
  requestBody,
  responseBody,
  location,
  retryAfter,
}: AttemptContent): string | Buffer {
  const firstLine: FirstLine = [requestBody.length, location ?? null, retryAfter ?? null];
  const text = `${JSON.stringify(firstLine)}\n${requestBody}${responseBody}`;
  if (text.length < compressedFrom || text.length > compressedTo) return text;
  const compressed = deflateRawSync(text, compression);
  if (compressed.length > 0.9 * text.length) return text;
  return Buffer.concat([Buffer.of(compressedMark), compressed]);
}

/**
 * Splits a text that `encodeAttempt` has created.
 * @throws Error if the format is unknown, or if decompressing or parsing the first line fails
 */
export function decodeAttempt(stored: Buffer): AttemptContent {
  const text = decompress(stored).toString('utf8');
  const bodiesAt = text.indexOf('\n') + 1;
  const [requestBodyLength, location, retryAfter]: FirstLine = JSON.parse(text.slice(0, bodiesAt));
  const responseAt = bodiesAt + requestBodyLength;
  return {
    requestBody: text.slice(bodiesAt, responseAt),
    responseBody: text.slice(responseAt),
    location: location ?? undefined,
    retryAfter: retryAfter ?? undefined,
  };
}

function decompress(stored: Buffer): Buffer {
  if (stored[0] === plainMark) return stored;
  if (stored[0] === compressedMark)
    return inflateRawSync(stored.subarray(1), { maxOutputLength: maxTextBytes });
  throw new Error(`The content of an attempt has the unknown format ${stored[0]}.`);
}
