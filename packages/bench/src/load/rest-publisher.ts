import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Door } from './amqp-publisher.js';

export interface RestDoorOptions {
  /** Of `POST …/alerts`. */
  url: string;
  token: string;
  contentOf: (sequence: number) => string;
  onAccepted: (sequence: number) => void;
}

/** How the API has answered, or not. */
export interface RestAnswers {
  /** By status; where no answer came, by the error's code, or `hung`. */
  byStatus: Record<string, number>;
  /** Those with 503 that did not say when to come again. */
  withoutRetryAfter: number;
  /** The longest that anyone has waited for an answer, be it in vain. */
  slowestMs: number;
}

const firstRetryMs = 250;
const maxRetryMs = 5_000;
const hangsAfterMs = 30_000;
/** What was refused is repeated by so many at once. */
const maxHands = 200;

/**
 * Posts each alert at its time; one that is not answered 202 is posted again under the same id, when `Retry-After` says
 * and ever later.
 */
export function openRestDoor(options: RestDoorOptions): Door & { answers(): RestAnswers } {
  const { url, token, contentOf, onAccepted } = options;
  const agent = new Agent({ headersTimeout: hangsAfterMs, bodyTimeout: hangsAfterMs });
  const { origin, pathname: path } = new URL(url);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answers: RestAnswers = { byStatus: {}, withoutRetryAfter: 0, slowestMs: 0 };
  const refused: number[] = [];
  let hands = 0;
  let inFlight = 0;
  let closed = false;

  const postOnce = async (sequence: number): Promise<{ status: string; retryAfterMs: number }> => {
    const startedAtMs = performance.now();
    inFlight += 1;
    try {
      const response = await agent.request({
        origin,
        path,
        method: 'POST',
        headers,
        body: contentOf(sequence),
      });
      await response.body.dump();
      const { statusCode, headers: answered } = response;
      const asked = Number(answered['retry-after']);
      if (statusCode === 503 && !(asked > 0)) answers.withoutRetryAfter += 1;
      return { status: String(statusCode), retryAfterMs: 1_000 * (asked || 0) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed';
      const hung = performance.now() - startedAtMs >= hangsAfterMs;
      return { status: hung ? 'hung' : code, retryAfterMs: 0 };
    } finally {
      answers.slowestMs = Math.max(answers.slowestMs, performance.now() - startedAtMs);
      inFlight -= 1;
    }
  };
  /** Undefined once it is accepted; else how long the API asks for. */
  const post = async (sequence: number): Promise<number | undefined> => {
    const { status, retryAfterMs } = await postOnce(sequence);
    answers.byStatus[status] = (answers.byStatus[status] ?? 0) + 1;
    if (status !== '202') return retryAfterMs;
    onAccepted(sequence);
    return undefined;
  };
  const repeatRefused = async (askedMs: number) => {
    let retryAfterMs: number | undefined = askedMs;
    let failures = 0;
    while (!closed) {
      if (retryAfterMs !== undefined) {
        const backOffMs = Math.min(maxRetryMs, firstRetryMs * 2 ** failures);
        await sleep(Math.max(retryAfterMs, backOffMs) * (1 + Math.random() / 2));
      }
      const sequence = refused.shift();
      if (sequence === undefined) return;
      retryAfterMs = await post(sequence);
      failures = retryAfterMs === undefined ? 0 : failures + 1;
      if (retryAfterMs !== undefined) refused.unshift(sequence);
    }
  };
  const offer = async (sequence: number) => {
    const retryAfterMs = await post(sequence);
    if (retryAfterMs === undefined) return;
    refused.push(sequence);
    if (hands >= maxHands) return;
    hands += 1;
    await repeatRefused(retryAfterMs);
    hands -= 1;
  };
  return {
    offer: (sequence) => void offer(sequence),
    inFlight: () => inFlight,
    answers: () => answers,
    close() {
      closed = true;
      void agent.destroy();
    },
  };
}
