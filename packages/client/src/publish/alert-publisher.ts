import type { PublishAlert } from '../api/schemas.js';
import type { CallOptions } from '../api/transport.js';
import { TocsinError } from '../tocsin-error.js';

/** An alert with `alert_id` and `fired_at`, so that every retry is the same alert. */
export type FiredAlert = PublishAlert & { alert_id: string; workspace_id: string; fired_at: string };

/** Publishes alerts, over AMQP or HTTP. */
export interface AlertPublisher {
  /**
   * Resolves once the alert can no longer be lost: the broker has confirmed and routed it. Temporary failures are
   * retried until the publisher's `timeoutMs` is over.
   * @throws AlertNotPublishedError for every alert that was not confirmed. The error holds the alert.
   */
  publish(alert: PublishAlert, options?: CallOptions): Promise<FiredAlert>;
  /** Waits until every alert is confirmed or reported, then closes connections. */
  close(): Promise<void>;
}

/**
 * - `unconfirmed`: the alert may have arrived. Publishing `alert` again is safe, because it is the same alert.
 * - `refused`: the alert is invalid, and a retry would be refused too.
 * - `misconfigured`: the broker refuses the publisher (login, permission, missing topology). Publish `alert` again after the
 *   repair that the message names.
 */
export class AlertNotPublishedError extends TocsinError {
  readonly code: 'unconfirmed' | 'refused' | 'misconfigured';
  readonly alert: FiredAlert;

  constructor(code: AlertNotPublishedError['code'], alert: FiredAlert, options: { cause: unknown }) {
    const why = options.cause instanceof Error ? options.cause.message : String(options.cause);
    const outcome = code === 'unconfirmed' ? 'confirmed' : 'accepted';
    super(`Alert ${alert.alert_id} was not ${outcome}: ${why}`, options);
    this.name = 'AlertNotPublishedError';
    this.code = code;
    this.alert = alert;
  }
}
