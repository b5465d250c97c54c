import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { createPaged, type Paged } from './paged.js';
import { path } from './path.js';
import type { Alert, AlertAccepted, ListAlertsQuery, PublishAlert } from './schemas.js';
import type { CallOptions, Send } from './transport.js';

export interface AlertsApi {
  /**
   * Publishes an alert. Resolves once the alert can no longer be lost. Missing `alert_id` and `fired_at` are generated
   * before the first try, so that every retry is the same alert.
   */
  fire(alert: PublishAlert, options?: CallOptions): Promise<AlertAccepted>;
  /** Lists alerts, newest first. */
  list(query?: ListAlertsQuery, options?: CallOptions): Paged<Alert>;
  /**
   * Returns an alert.
   * @throws NotFoundError, also for a moment after the 202, until a worker has committed the alert
   */
  get(id: string, options?: CallOptions): Promise<Alert>;
}

export function createAlertsApi({
  send,
  workspace,
  clock,
}: {
  send: Send;
  workspace: () => string;
  clock: Clock;
}): AlertsApi {
  const collection = () => path`/api/v1/workspaces/${workspace()}/alerts`;
  return {
    async fire(alert, options) {
      const body = {
        ...alert,
        alert_id: alert.alert_id ?? randomUUID(),
        fired_at: alert.fired_at ?? new Date(clock.now()).toISOString(),
      };
      const request = { method: 'POST', path: collection(), body, idempotent: true, options } as const;
      return (await send<AlertAccepted>(request)).body;
    },
    list: (query, options) => createPaged(send, { path: collection(), query, options }),
    get: async (id, options) =>
      (await send<Alert>({ method: 'GET', path: `${collection()}${path`/${id}`}`, options })).body,
  };
}
