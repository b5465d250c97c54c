import { LRUCache } from 'lru-cache';
import { type HandlerResult, toJson } from './respond.js';

/** A complete response whose body is JSON, encoded once for all callers. */
interface SharedResponse extends HandlerResult {
  body: Buffer;
  /** Time on a monotonic clock at which the read of the response started, in milliseconds. */
  readAtMs: number;
}

/**
 * Shares responses between callers that accept a recent one (`Cache-Control: max-age`, RFC 9111, section 5.2.1.1). When
 * many people have the same page of the console open, the database is not read again for each of them.
 */
export interface SharedResponses {
  /**
   * Returns the stored response for the key if its read started at most `maxAgeMs` ago, even if the read is still
   * running. If there is none, calls `read` and stores its response. The pages of a list are joined to one body.
   * Returns undefined if the pages have more than 4,194,304 UTF-16 units, which are 4 MiB of ASCII text.
   */
  get(key: string, maxAgeMs: number, read: () => Promise<HandlerResult>): Promise<SharedResponse | undefined>;
  /**
   * Discards the stored response for the key. Must be called before a response is read for one caller alone. Without
   * this call, the caller could later get the stored response, which is older than the one that it has seen.
   */
  discard(key: string): void;
}

interface Entry {
  readAtMs: number;
  response: Promise<SharedResponse | undefined>;
  /** Size of the body in bytes; 0 while the response is being read. */
  bytes: number;
}

/**
 * Maximum accepted age of a response, in seconds. A stored response is removed from memory when this time has passed
 * since the end of its read.
 */
const maxAge = 10;
/** Maximum size of a stored body, in bytes. A longer list is read again for each caller, page by page. */
const maxBodyBytes = 4 * 1_048_576;
/** Maximum size of all stored bodies together, in bytes. */
const maxKeptBytes = 4 * maxBodyBytes;

export function createSharedResponses(): SharedResponses {
  const entries = new LRUCache<string, Entry>({
    maxSize: maxKeptBytes,
    maxEntrySize: maxBodyBytes,
    sizeCalculation: ({ bytes }, key) => bytes + key.length,
    ttl: maxAge * 1_000,
    ttlAutopurge: true,
  });
  return {
    get(key, maxAgeMs, read) {
      const known = entries.get(key);
      if (known !== undefined && performance.now() - known.readAtMs <= maxAgeMs) return known.response;
      const readAtMs = performance.now();
      const entry: Entry = { readAtMs, response: readWhole(read, readAtMs), bytes: 0 };
      entries.set(key, entry);
      entry.response.then(
        (response) => {
          // The entry is stored again with the size of its body, unless another entry has replaced it.
          if (entries.peek(key) !== entry) return;
          if (response === undefined) entries.delete(key);
          else entries.set(key, { ...entry, bytes: response.body.length });
        },
        () => {
          if (entries.peek(key) === entry) entries.delete(key);
        },
      );
      return entry.response;
    },
    discard: (key) => void entries.delete(key),
  };
}

async function readWhole(
  read: () => Promise<HandlerResult>,
  readAtMs: number,
): Promise<SharedResponse | undefined> {
  const result = await read();
  const text = await toJson(result.body, maxBodyBytes);
  return text === undefined ? undefined : { ...result, body: Buffer.from(text), readAtMs };
}

/**
 * Returns the age in milliseconds that a request accepts, at most 10 s. Returns 0 without a valid `max-age`, and for
 * `no-cache` and `no-store`: the response is then read for this request alone.
 */
export function acceptedAgeMs(cacheControl: string | undefined): number {
  if (cacheControl === undefined || /\bno-(cache|store)\b/i.test(cacheControl)) return 0;
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})(?=$|[\s,])/i.exec(cacheControl)?.[1] ?? '0';
  return Math.min(Number(seconds), maxAge) * 1_000;
}
