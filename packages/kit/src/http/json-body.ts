import type { IncomingMessage } from 'node:http';
import { findBadText } from '@tocsin/contracts';
import { AppError, type FieldError } from '../app-error.js';
import { childPointer } from './json-pointer.js';
import { readBody } from './read-body.js';

export interface JsonBody {
  value: unknown;
  bytes: number;
}

/**
 * Reads a request's JSON body. No body at all is `{}`, so that the schema can name what is missing.
 * @throws AppError 413 above `limitBytes`, 415 for another media type, charset or content encoding, 400 for bytes
 *   that are not UTF-8 or text that is not JSON, 422 for text or nesting that no schema would allow.
 */
export async function readJsonBody(request: IncomingMessage, limitBytes: number): Promise<JsonBody> {
  if (!hasBody(request)) return { value: {}, bytes: 0 };
  checkMediaType(request);
  const bytes = await readBody(request, limitBytes);
  const value = parseJson(decodeUtf8(bytes));
  const fault = findBadShape(value, '', 0) ?? findBadText(value);
  if (fault) throw new AppError('validation_failed', 'The request body is not valid.', { errors: [fault] });
  return { value, bytes: bytes.length };
}

function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && Number(headers['content-length']) !== 0;
}

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-?8"?[ \t]*)?;?$/i;

function checkMediaType({ headers }: IncomingMessage): void {
  if (!jsonType.test(headers['content-type'] ?? '')) {
    throw new AppError(
      'unsupported_media_type',
      'Send the body as UTF-8 with Content-Type: application/json.',
    );
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('malformed_json', 'The request body is not valid UTF-8.', { cause });
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the body, which may hold a secret: neither sent nor kept as a cause.
    throw new AppError('malformed_json', 'The request body is not valid JSON.');
  }
}

const maxDepth = 100;

/** Recursion is bounded by the depth that it looks for. */
function findBadShape(value: unknown, path: string, depth: number): FieldError | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxDepth) {
    return { path: '', message: `must not be nested more than ${maxDepth} levels deep` };
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return { path: childPointer(path, key), message: 'is not an allowed name' };
    const fault = findBadShape((value as Record<string, unknown>)[key], childPointer(path, key), depth + 1);
    if (fault) return fault;
  }
  return undefined;
}
