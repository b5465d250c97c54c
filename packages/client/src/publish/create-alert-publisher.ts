import { randomUUID } from 'node:crypto';
import { exponentialBackoffMs } from '@tocsin/kit';
import type { PublishAlert } from '../api/schemas.js';
import { type Clock, systemClock } from '../clock.js';
import { AlertNotPublishedError, type AlertPublisher, type FiredAlert } from './alert-publisher.js';

export interface PublisherOptions {
  /** Id of the workspace for alerts without `workspace_id`. */
  workspaceId: string;
  /**
   * Time limit for the retries of an alert, in milliseconds. If the next retry would start after it, `publish` rejects
   * with `unconfirmed`. A request in progress is not aborted. Default: 60,000.
   */
  giveUpAfterMs?: number | undefined;
  clock?: Clock | undefined;
  /** Returns a random number from 0 to 1, for the jitter of retries. */
  random?: (() => number) | undefined;
}

/** Sends each alert once, over AMQP or HTTP. It does not retry a failed send; the alert publisher retries. */
export interface Carrier {
  /** Resolves when the broker has confirmed the alert. */
  send(alert: FiredAlert, signal: AbortSignal | undefined): Promise<void>;
  /** Classifies a failure of `send`. */
  classify(error: unknown): PublishFailure;
  close(): Promise<void>;
}

export type PublishFailure =
  | { kind: 'rejected' | 'misconfigured' }
  /** `waitMs` is the delay that the header `Retry-After` asks for, in milliseconds. A retry waits at least the backoff. */
  | { kind: 'transient'; waitMs?: number | undefined };

const retryBackoff = { firstMs: 250, maxMs: 5_000 };

/**
 * Creates a publisher that sends alerts through `carrier`. The publisher adds missing ids and times to the alerts, and
 * retries temporary failures until `giveUpAfterMs`. If an alert cannot be sent, `publish` rejects with an
 * AlertNotPublishedError.
 */
export function createAlertPublisher(carrier: Carrier, options: PublisherOptions): AlertPublisher {
  const { workspaceId, giveUpAfterMs = 60_000, clock = systemClock, random = Math.random } = options;
  const open = new Set<Promise<unknown>>();
  let closed = false;

  const sendUntilConfirmed = async (
    alert: FiredAlert,
    signal: AbortSignal | undefined,
  ): Promise<FiredAlert> => {
    const deadlineMs = clock.now() + giveUpAfterMs;
    for (let tries = 1; ; tries += 1) {
      const cause = await attempt(alert, signal);
      if (cause === undefined) return alert;
      const failure = carrier.classify(cause.error);
      const given = { cause: cause.error };
      if (signal?.aborted) throw new AlertNotPublishedError('unconfirmed', alert, given);
      if (failure.kind !== 'transient') throw new AlertNotPublishedError(failure.kind, alert, given);
      const backoffMs = exponentialBackoffMs(tries, { ...retryBackoff, random });
      const waitMs = Math.max(failure.waitMs ?? 0, backoffMs);
      if (clock.now() + waitMs >= deadlineMs) throw new AlertNotPublishedError('unconfirmed', alert, given);
      await clock.sleep(waitMs, signal).catch(() => {
        throw new AlertNotPublishedError('unconfirmed', alert, given);
      });
    }
  };

  const attempt = async (alert: FiredAlert, signal: AbortSignal | undefined) => {
    try {
      await carrier.send(alert, signal);
      return undefined;
    } catch (error) {
      return { error };
    }
  };

  return {
    async publish(given: PublishAlert, { signal } = {}) {
      signal?.throwIfAborted();
      if (closed) throw new TypeError('This publisher is closed.');
      const alert: FiredAlert = {
        ...given,
        alert_id: given.alert_id ?? randomUUID(),
        workspace_id: given.workspace_id ?? workspaceId,
        fired_at: given.fired_at ?? new Date(clock.now()).toISOString(),
      };
      const sending = sendUntilConfirmed(alert, signal);
      open.add(sending);
      return sending.finally(() => open.delete(sending));
    },
    async close() {
      closed = true;
      await Promise.allSettled(open);
      await carrier.close();
    },
  };
}
