import { Pool } from 'undici';
import { type Percentiles, percentilesOf } from './statistics.js';

export interface RequestsOptions {
  origin: string;
  /** Paths, requested in round robin. */
  paths: readonly string[];
  headers: Record<string, string>;
  requests: number;
  /** Number of requests that are in flight at the same time. */
  concurrency: number;
  expectStatus: number;
}

export interface RequestsResult {
  requests: number;
  perSecond: number;
  latencyMs: Percentiles;
}

/**
 * Sends GET requests over keep-alive connections.
 * @throws Error if a response has another status than `expectStatus`
 */
export async function measureRequests(options: RequestsOptions): Promise<RequestsResult> {
  const { origin, paths, headers, requests, concurrency, expectStatus } = options;
  const pool = new Pool(origin, { connections: concurrency });
  const latencies: number[] = [];
  let remaining = requests;
  const startedAtMs = performance.now();
  const sendRequests = async () => {
    while (remaining > 0) {
      remaining -= 1;
      const path = paths[remaining % paths.length]!;
      const sentAtMs = performance.now();
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
      const text = await body.text();
      if (statusCode !== expectStatus)
        throw new Error(`${path} returned ${statusCode}: ${text.slice(0, 500)}`);
      latencies.push(performance.now() - sentAtMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, sendRequests));
  } finally {
    await pool.close();
  }
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { requests, perSecond: requests / seconds, latencyMs: percentilesOf(latencies) };
}
