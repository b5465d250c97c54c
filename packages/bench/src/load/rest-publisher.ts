import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import type { AlertPublisher, OfferedAlert } from './amqp-publisher.js';

export interface RestTarget {
  /** URL of the endpoint `POST …/alerts`. */
  url: string;
  token: string;
  /** Response status that confirms an alert. Default: 202. */
  expectedStatus?: number;
}

/** Statistics of all requests of a publisher. */
export interface RestResponses {
  /** Number of requests by status. Requests without a response are counted by error code, or as `hung` after 30 s. */
  byStatus: Record<string, number>;
  /** Number of responses with status 503 and without `Retry-After`. */
  withoutRetryAfter: number;
  /** Duration of the longest request in milliseconds, including requests without a response. */
  slowestMs: number;
}

export interface RestPublisher extends AlertPublisher {
  responses(): RestResponses;
  close(): Promise<void>;
}

const minBackoffMs = 250;
const maxBackoffMs = 5_000;
const responseTimeoutMs = 30_000;
/** Maximum number of rejected alerts that are retried at the same time. */
const maxRetries = 200;

/**
 * Opens a publisher that posts each alert as soon as `publish` is called. If there is no response, or if the response
 * has an unexpected status, the alert is posted again with the same id. The delay is `Retry-After` or an exponential
 * backoff, whichever is longer, plus up to 50 % jitter. At most `maxRetries` alerts are retried at the same time.
 * Further rejected alerts wait until one of these alerts is confirmed.
 */
export function openRestPublisher({ url, token, expectedStatus = 202 }: RestTarget): RestPublisher {
  const agent = new Agent({ headersTimeout: responseTimeoutMs, bodyTimeout: responseTimeoutMs });
  const { origin, pathname: path } = new URL(url);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const responses: RestResponses = { byStatus: {}, withoutRetryAfter: 0, slowestMs: 0 };
  const rejected: OfferedAlert[] = [];
  let retries = 0;
  let inFlight = 0;
  let closed = false;

  const publish = async (alert: OfferedAlert) => {
    const retryAfterMs = await post(alert);
    if (retryAfterMs === undefined) return;
    rejected.push(alert);
    if (retries >= maxRetries) return;
    retries += 1;
    await retryRejected(retryAfterMs);
    retries -= 1;
  };
  const retryRejected = async (firstDelayMs: number) => {
    let retryAfterMs: number | undefined = firstDelayMs;
    let failures = 0;
    while (!closed) {
      if (retryAfterMs !== undefined) {
        const backoffMs = Math.min(maxBackoffMs, minBackoffMs * 2 ** failures);
        await sleep(Math.max(retryAfterMs, backoffMs) * (1 + Math.random() / 2));
      }
      const alert = rejected.shift();
      if (alert === undefined) return;
      retryAfterMs = await post(alert);
      failures = retryAfterMs === undefined ? 0 : failures + 1;
      if (retryAfterMs !== undefined) rejected.unshift(alert);
    }
  };
  /**
   * Returns undefined if the alert was confirmed. Otherwise returns the delay in `Retry-After` in milliseconds, or 0
   * without this header.
   */
  const post = async (alert: OfferedAlert): Promise<number | undefined> => {
    const { status, retryAfterMs } = await postOnce(alert.content);
    responses.byStatus[status] = (responses.byStatus[status] ?? 0) + 1;
    if (status !== String(expectedStatus)) return retryAfterMs;
    alert.onAccepted();
    return undefined;
  };
  const postOnce = async (body: Buffer): Promise<{ status: string; retryAfterMs: number }> => {
    const startedAtMs = performance.now();
    inFlight += 1;
    try {
      const response = await agent.request({ origin, path, method: 'POST', headers, body });
      await response.body.dump();
      const { statusCode } = response;
      const retryAfterSeconds = Number(response.headers['retry-after']);
      if (statusCode === 503 && !(retryAfterSeconds > 0)) responses.withoutRetryAfter += 1;
      return { status: String(statusCode), retryAfterMs: 1_000 * (retryAfterSeconds || 0) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed';
      const hung = performance.now() - startedAtMs >= responseTimeoutMs;
      return { status: hung ? 'hung' : code, retryAfterMs: 0 };
    } finally {
      responses.slowestMs = Math.max(responses.slowestMs, performance.now() - startedAtMs);
      inFlight -= 1;
    }
  };
  return {
    publish: (alert) => void publish(alert),
    inFlight: () => inFlight,
    responses: () => responses,
    async close() {
      closed = true;
      await agent.destroy();
    },
  };
}
