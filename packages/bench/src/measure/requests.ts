import { Pool } from 'undici';
import { type Percentiles, percentilesOf } from './statistics.js';

export interface RequestsOptions {
  origin: string;
  /** Asked for in turn. */
  paths: readonly string[];
  headers: Record<string, string>;
  requests: number;
  /** Requests under way at once. */
  concurrency: number;
  expectStatus: number;
}

export interface RequestsResult {
  requests: number;
  perSecond: number;
  latencyMs: Percentiles;
}

/** Sends GETs over kept-alive connections; throws at the first unexpected status. */
export async function measureRequests(options: RequestsOptions): Promise<RequestsResult> {
  const { origin, paths, headers, requests, concurrency, expectStatus } = options;
  const pool = new Pool(origin, { connections: concurrency });
  const latencies: number[] = [];
  let left = requests;
  const startedAtMs = performance.now();
  const sendInTurn = async () => {
    while (left > 0) {
      left -= 1;
      const path = paths[left % paths.length]!;
      const sentAtMs = performance.now();
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
      const text = await body.text();
      if (statusCode !== expectStatus)
        throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 500)}`);
      latencies.push(performance.now() - sentAtMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, sendInTurn));
  } finally {
    await pool.close();
  }
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { requests, perSecond: requests / seconds, latencyMs: percentilesOf(latencies) };
}
