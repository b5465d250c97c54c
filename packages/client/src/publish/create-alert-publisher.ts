import { randomUUID } from 'node:crypto';
import type { PublishAlert } from '../api/schemas.js';
import { type Clock, systemClock } from '../clock.js';
import { AlertNotPublishedError, type AlertPublisher, type FiredAlert } from './alert-publisher.js';

export interface PublisherOptions {
  /** Of alerts that name none. */
  workspaceId: string;
  /** How long an alert is tried for before it is reported as unconfirmed; 60 s unless given. */
  giveUpAfterMs?: number | undefined;
  clock?: Clock | undefined;
}

/** One way to send an alert. */
export interface Carrier {
  /** Resolves when the alert is confirmed. */
  send(alert: FiredAlert, signal: AbortSignal | undefined): Promise<void>;
  /** What to make of a failure of `send`. */
  judge(error: unknown): 'transient' | 'refused';
  close(): Promise<void>;
}

const pauseMs = 250;

/** What publishing is, whatever carries the alerts. */
export function createAlertPublisher(carrier: Carrier, options: PublisherOptions): AlertPublisher {
  const { workspaceId, giveUpAfterMs = 60_000, clock = systemClock } = options;
  const open = new Set<Promise<unknown>>();
  let closed = false;

  const sendUntilConfirmed = async (
    alert: FiredAlert,
    signal: AbortSignal | undefined,
  ): Promise<FiredAlert> => {
    const deadlineMs = clock.now() + giveUpAfterMs;
    for (;;) {
      try {
        await carrier.send(alert, signal);
        return alert;
      } catch (cause) {
        if (carrier.judge(cause) === 'refused') throw new AlertNotPublishedError('refused', alert, { cause });
        const overdue = clock.now() + pauseMs >= deadlineMs;
        if (overdue || signal?.aborted) throw new AlertNotPublishedError('unconfirmed', alert, { cause });
      }
      await clock.sleep(pauseMs, signal).catch((cause: unknown) => {
        throw new AlertNotPublishedError('unconfirmed', alert, { cause });
      });
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
