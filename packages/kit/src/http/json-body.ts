import type { IncomingMessage } from 'node:http';
import { AppError, type FieldError, requireWithinLimit } from '../app-error.js';
import { createSemaphore, type LimitReason } from '../concurrency/semaphore.js';
import { createTimeBudget } from '../concurrency/time-budget.js';
import type { BodyCheck } from './body-check.js';
import { RequestAborted } from './request-context.js';
import { maxBytesForAllErrors } from './schema-check.js';

/**
 * Reads, parses and checks the JSON body of a request; `owner` names its sender. A missing body counts as `{}`, so that
 * the errors name the missing properties. With `rejectEmpty`, a missing body is rejected with 400.
 * @throws AppError 400, 413 or 415; 422 from the check; 429 if too many large bodies of the sender are in progress,
 *   or parsing them took too long; 503 if too many large bodies of all senders are in progress; `RequestAborted` if the
 *   client disconnects
 */
export type JsonBodyParser = (
  request: IncomingMessage,
  options: { owner: string; check: BodyCheck; rejectEmpty: boolean },
) => Promise<CheckedBody>;

interface CheckedBody {
  value: unknown;
  /** Errors of the schema; empty for a valid body. */
  errors: FieldError[];
  /** False for a body above 64 KiB, of which only the first error is listed. */
  listsAll: boolean;
}

/**
 * Declared length in bytes below which a body is small. A small body needs no permit of the semaphore that limits the
 * memory for large bodies: even if all 4,000 connections send small bodies at once, these take less than 64 MiB. A body
 * without a declared length is never small.
 */
const largeBodyBytes = 16_384;
/**
 * Maximum memory for large bodies in progress, in bytes: 64 MiB, an eighth of the memory of a container with 512 MiB.
 * Four large bodies are always allowed, so they can take more memory if `limitBytes` is above 16 MiB.
 */
const largeBodiesBytes = 67_108_864;
/**
 * Time budget of one sender for parsing and checking large bodies: 1 s at once, and a tenth of the thread's time in the
 * long run.
 */
const parseBudget = { share: 0.1, burstMs: 1_000 };

export interface JsonBodyOptions {
  limitBytes: number;
  /** Maximum wait of a large body for a permit, in milliseconds. Default: 3,000. */
  maxWaitMs?: number;
}

export function createJsonBodyParser({ limitBytes, maxWaitMs = 3_000 }: JsonBodyOptions): JsonBodyParser {
  const permits = Math.max(4, Math.floor(largeBodiesBytes / limitBytes));
  const largeBodies = createSemaphore({
    permits,
    permitsPerKey: Math.ceil(permits / 4),
    maxWaitMs,
    createError: tooManyBodies,
  });
  const parseTime = createTimeBudget(parseBudget);

  return async (request, { owner, check, rejectEmpty }) => {
    const checks = { check, rejectEmpty };
    if (!hasBody(request)) return parseAndCheck(Buffer.alloc(0), checks);
    requireJson(request);
    const length = declaredLength(request) ?? limitBytes;
    if (length > limitBytes) throw tooLarge(limitBytes);
    if (length < largeBodyBytes) return parseAndCheck(await readBytes(request, length), checks);
    return largeBodies.run(async () => {
      const bytes = await readBytes(request, length);
      requireWithinLimit(parseTime.check(owner), 'Your requests took too much time to parse.');
      return parseTime.run(owner, () => parseAndCheck(bytes, checks));
    }, owner);
  };
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (declaredLength(request) ?? 0) > 0;
}

function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-?8"?[ \t]*)?;?$/i;

function requireJson({ headers }: IncomingMessage): void {
  if (!jsonType.test(headers['content-type'] ?? '')) {
    const detail = 'Send the body as UTF-8 with Content-Type: application/json.';
    throw new AppError('unsupported_media_type', detail);
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
}

/**
 * Copies the chunks of a body into one buffer as they arrive. `express.json` and `raw-body` are not used, because they
 * keep each chunk as a separate object: a body in one-byte chunks would take 500 times its size.
 */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (request.destroyed) return Promise.reject(new RequestAborted());
  return new Promise((resolve, reject) => {
    const bytes = Buffer.allocUnsafe(maxBytes);
    let length = 0;
    let isComplete = false;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) reject(tooLarge(maxBytes));
      else chunk.copy(bytes, length - chunk.length);
    });
    request.on('end', () => {
      isComplete = true;
      resolve(bytes.subarray(0, length));
    });
    request.on('error', (cause) => reject(new RequestAborted({ cause })));
    request.on('close', () => isComplete || reject(new RequestAborted()));
  });
}

interface Checks {
  check: BodyCheck;
  rejectEmpty: boolean;
}

function parseAndCheck(bytes: Buffer, { check, rejectEmpty }: Checks): CheckedBody {
  if (rejectEmpty && isBlank(bytes)) {
    throw new AppError('invalid_request', 'The request has no body. Send the fields to change as JSON.');
  }
  const listsAll = bytes.length <= maxBytesForAllErrors;
  return { ...check(parseJsonBody(bytes), { listAll: listsAll }), listsAll };
}

/** Returns true if there are no bytes, or only whitespace as JSON defines it. */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}

/**
 * Parses the bytes of a JSON body.
 * @throws AppError 400 for bytes that are not UTF-8 or text that is not JSON
 */
export function parseJsonBody(bytes: Buffer): unknown {
  return parseJson(decodeUtf8(bytes));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AppError('malformed_json', 'The request body is not valid UTF-8.', { cause });
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message of `JSON.parse` quotes the body, which can contain a secret. The message is therefore neither sent
    // nor kept as the cause, except for the position at its end.
    throw new AppError('malformed_json', `The request body is not valid JSON${placeOf(error, text)}.`);
  }
}

/** Returns the line and column of a fault, or an empty text if V8 reports no position, as for an unexpected token. */
function placeOf(error: unknown, text: string): string {
  const [, position] = /JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(String(error)) ?? [];
  if (position === undefined) return '';
  const lines = text.slice(0, Number(position)).split('\n');
  return ` at line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('payload_too_large', `The request body must be ${limitBytes} bytes or less.`);
}

function tooManyBodies(reason: LimitReason): AppError {
  const options = { retryAfterSeconds: 2 };
  if (reason === 'key')
    return new AppError('too_many_requests', 'You send too many large request bodies at a time.', options);
  return new AppError('unavailable', 'Too many large request bodies are being received; try again.', options);
}
