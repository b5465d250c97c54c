import type { PublishAlert } from '../api/schemas.js';
import type { CallOptions } from '../api/transport.js';
import { TocsinError } from '../tocsin-error.js';

/**
 * An alert with its `alert_id`, `workspace_id` and `fired_at`. Every retry sends the same values, so that a worker
 * recognizes it as a repetition.
 */
export type FiredAlert = PublishAlert & { alert_id: string; workspace_id: string; fired_at: string };

/** Publishes alerts, over AMQP or HTTP. */
export interface AlertPublisher {
  /**
   * Resolves when the broker has routed and confirmed the alert. From then on, the alert cannot be lost. Temporary
   * failures are retried until the time limit `giveUpAfterMs`, which is an option of the publisher.
   * @throws AlertNotPublishedError if the alert was not confirmed. The error contains the alert.
   */
  publish(alert: PublishAlert, options?: CallOptions): Promise<FiredAlert>;
  /** Waits until every call of `publish` has ended, then closes the connections. */
  close(): Promise<void>;
}

/**
 * - `unconfirmed`: the alert may have arrived. Publishing `alert` again is safe, because its `alert_id` stays the same.
 * - `rejected`: the alert is invalid, or the API rejects the caller, for example because a permission is missing. A
 *   retry would be rejected too.
 * - `misconfigured`: the broker rejects the publisher (login at the first connection, permission, missing topology). The
 *   message says what to correct. After the correction, publish `alert` again.
 */
export class AlertNotPublishedError extends TocsinError {
  readonly code: 'unconfirmed' | 'rejected' | 'misconfigured';
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
