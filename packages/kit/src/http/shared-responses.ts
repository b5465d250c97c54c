import { LRUCache } from 'lru-cache';
import { createSingleFlight } from '../concurrency/single-flight.js';
import { type HandlerResult, toJson } from './respond.js';

/** A complete response whose body is JSON, encoded once for all callers. */
interface SharedResponse extends HandlerResult {
  body: Buffer;
  /** Start of the read on a monotonic clock, in milliseconds. */
  readAtMs: number;
}

/**
 * Shares responses between callers that accept a recent one (`Cache-Control: max-age`, RFC 9111, section 5.2.1.1). When
 * many people have the same page of the console open, the database is read once a second and not once for each of them.
 */
export interface SharedResponses {
  /**
   * Returns the response for the key if it is at most `maxAgeMs` old, or else calls `read`. Concurrent calls with the
   * same key share one call of `read`. Pages are joined to one body. Returns undefined for a body of more than 4 MiB.
   */
  get(key: string, maxAgeMs: number, read: () => Promise<HandlerResult>): Promise<SharedResponse | undefined>;
}

/** Maximum size of a shared body, in bytes. Longer lists are sent page by page to each caller. */
const maxBodyBytes = 4 * 1_048_576;
/** Maximum size of all kept bodies, in bytes. */
const maxKeptBytes = 4 * maxBodyBytes;

export function createSharedResponses(): SharedResponses {
  const kept = new LRUCache<string, SharedResponse>({
    maxSize: maxKeptBytes,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  });
  const reads = createSingleFlight<SharedResponse | undefined>();
  return {
    async get(key, maxAgeMs, read) {
      const known = kept.get(key);
      if (known !== undefined && performance.now() - known.readAtMs <= maxAgeMs) return known;
      return reads.run(key, async () => {
        const readAtMs = performance.now();
        const result = await read();
        const text = await toJson(result.body, maxBodyBytes);
        if (text === undefined) return undefined;
        const response = { ...result, body: Buffer.from(text), readAtMs };
        kept.set(key, response);
        return response;
      });
    },
  };
}

/** Maximum accepted age of a response, in seconds. */
const maxAge = 10;

/**
 * Returns the age in milliseconds that a request accepts, at most 10 s. Returns 0 without a valid `max-age`, and for
 * `no-cache`: the response is then read for this request alone.
 */
export function acceptedAgeMs(cacheControl: string | undefined): number {
  if (cacheControl === undefined || /\bno-(cache|store)\b/i.test(cacheControl)) return 0;
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})(?=$|[\s,])/i.exec(cacheControl)?.[1] ?? '0';
  return Math.min(Number(seconds), maxAge) * 1_000;
}
