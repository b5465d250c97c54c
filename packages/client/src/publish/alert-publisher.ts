import type { PublishAlert } from '../api/schemas.js';
import type { CallOptions } from '../api/transport.js';
import { TocsinError } from '../tocsin-error.js';

/** An alert on its way: what makes it one alert, however often it is sent, is filled in. */
export type FiredAlert = PublishAlert & { alert_id: string; workspace_id: string; fired_at: string };

/** Publishes alerts, over AMQP or over HTTP with the same call. */
export interface AlertPublisher {
  /**
   * Resolves once the alert can no longer be lost: the broker has confirmed and routed it. What can be tried again is,
   * until the time given to the publisher is over.
   * @throws AlertNotPublishedError for every alert that was not confirmed; it holds the alert.
   */
  publish(alert: PublishAlert, options?: CallOptions): Promise<FiredAlert>;
  /** Waits until every alert that was given is confirmed or reported, then lets go of connections. */
  close(): Promise<void>;
}

/**
 * - `unconfirmed`: it may have arrived; publishing `alert` again is safe, for it is the same alert
 * - `refused`: it will not be taken as it is
 */
export class AlertNotPublishedError extends TocsinError {
  readonly code: 'unconfirmed' | 'refused';
  readonly alert: FiredAlert;

  constructor(code: AlertNotPublishedError['code'], alert: FiredAlert, options: { cause: unknown }) {
    const why = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(`Alert ${alert.alert_id} was not ${code === 'refused' ? 'taken' : 'confirmed'}: ${why}`, options);
    this.name = 'AlertNotPublishedError';
    this.code = code;
    this.alert = alert;
  }
}
