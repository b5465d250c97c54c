import type { IncomingMessage } from 'node:http';
import { AppError, type FieldError } from '../app-error.js';
import { findBadText } from '../bad-text.js';
import { childPointer } from './json-pointer.js';
import type { BodyReader } from './read-body.js';

/**
 * The bytes of a request's JSON body, none where there is no body.
 * @throws AppError as `read` does, and 415 for another media type, charset or content encoding.
 */
export async function readJsonBody(
  request: IncomingMessage,
  { read, owner }: { read: BodyReader; owner: string },
): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  checkMediaType(request);
  return read(request, owner);
}

/**
 * No body at all is `{}`, so that the schema can name what is missing.
 * @throws AppError 400 for bytes that are not UTF-8 or text that is not JSON, 422 for text or nesting that no schema
 *   would allow.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  const value = parseJson(decodeUtf8(bytes));
  const fault = findBadShape(value, 0) ?? findBadText(value);
  if (fault) throw new AppError('validation_failed', 'The request body is not valid.', { errors: [fault] });
  return value;
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

/**
 * Recursion is bounded by the depth that it looks for. The place of a fault is put together on the way back from it: made
 * for each member, it would cost more than all the rest.
 */
function findBadShape(value: unknown, depth: number): FieldError | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxDepth) {
    return { path: '', message: `must not be nested more than ${maxDepth} levels deep` };
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = findBadShape(value[index], depth + 1);
      if (fault) return within(String(index), fault);
    }
    return undefined;
  }
  for (const key in value) {
    if (key === '__proto__') return { path: childPointer('', key), message: 'is not an allowed name' };
    const fault = findBadShape((value as Record<string, unknown>)[key], depth + 1);
    if (fault) return within(key, fault);
  }
  return undefined;
}

function within(name: string, { path, message }: FieldError): FieldError {
  return { path: path === '' ? '' : childPointer('', name) + path, message };
}
