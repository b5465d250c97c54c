import type { Clock } from '../clock.js';
import { ConnectionError } from './errors.js';
import { createPaged, type Paged, path } from './requests.js';
import type {
  Alert,
  AlertAccepted,
  AlertDispatched,
  ListAlertsQuery,
  PublishAlert,
  PublishedAlerts,
} from './schemas.js';
import type { ApiResponse, CallOptions, Send } from './transport.js';

export interface AlertsApi {
  /**
   * Publishes an alert. Resolves when the broker has confirmed it; from then on the alert cannot be lost. A missing
   * `alert_id` or `fired_at` is generated before the first request, so that all retries have the same values.
   * @throws ConnectionError if a successful response is not 202 with the `alert_id` of the request, for example because
   * a proxy sent it
   */
  fire(alert: PublishAlert, options?: CallOptions): Promise<AlertAccepted>;
  /**
   * Publishes up to 500 alerts in one request of at most 1 MiB. Each alert succeeds or fails independently. The result
   * has one entry for each alert, in the same order. Status 202: the broker has confirmed the alert. Status 422: the
   * alert is invalid. Status 503: the broker has not confirmed it; publish it again with its `alert_id`. A missing
   * `alert_id` or `fired_at` is generated before the request.
   * @throws ConnectionError if a successful response is not 200 with such a result for these alerts
   */
  fireBatch(alerts: PublishAlert[], options?: CallOptions): Promise<PublishedAlerts>;
  /** Lists alerts, newest first. */
  list(query?: ListAlertsQuery, options?: CallOptions): Paged<Alert>;
  /**
   * Returns an alert.
   * @throws NotFoundError if there is no such alert, or if no worker has committed it yet
   */
  get(id: string, options?: CallOptions): Promise<Alert>;
  /**
   * Creates the deliveries of an alert that has none. They go to the current webhooks of its rule. If the rule is not
   * registered, they go to the webhooks that the alert names.
   * @throws ConflictError if the alert has deliveries, or if its rule is disabled, deleted or without webhooks
   */
  dispatch(id: string, options?: CallOptions): Promise<AlertDispatched>;
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
  const single = (id: string) => `${collection()}${path`/${id}`}`;
  const identified = (alert: PublishAlert): PublishAlert & { alert_id: string } => ({
    ...alert,
    alert_id: alert.alert_id ?? crypto.randomUUID(),
    fired_at: alert.fired_at ?? new Date(clock.now()).toISOString(),
  });
  const post = <T>(path: string, body: unknown, options: CallOptions | undefined): Promise<ApiResponse<T>> =>
    send<T>({ method: 'POST', path, body, idempotent: true, options });
  return {
    async fire(alert, options) {
      const sent = identified(alert);
      const { status, body } = await post<AlertAccepted | undefined>(collection(), sent, options);
      if (body === undefined || status !== 202 || !isSameId(body.alert_id, sent.alert_id))
        throw notConfirmed(status);
      return body;
    },
    async fireBatch(alerts, options) {
      const sent = alerts.map(identified);
      const { status, body } = await post<PublishedAlerts | undefined>(
        `${collection()}/batch`,
        sent,
        options,
      );
      if (status !== 200 || !Array.isArray(body) || body.length !== sent.length) throw notConfirmed(status);
      for (const [index, entry] of body.entries()) {
        const isOther = 'alert_id' in entry && !isSameId(entry.alert_id, sent[index]!.alert_id);
        if (entry.status === 202 && isOther) throw notConfirmed(status);
      }
      return body;
    },
    list: (query, options) => createPaged(send, { path: collection(), query, options }),
    get: async (id, options) => (await send<Alert>({ method: 'GET', path: single(id), options })).body,
    dispatch: async (id, options) =>
      (await send<AlertDispatched>({ method: 'POST', path: `${single(id)}/dispatch`, options })).body,
  };
}

/** The API returns ids in lower case. */
function isSameId(returned: unknown, sent: string): boolean {
  return String(returned).toLowerCase() === sent.toLowerCase();
}

/** Error for a successful response that does not come from the API, for example because a proxy sent it. */
function notConfirmed(status: number): ConnectionError {
  return new ConnectionError(
    'invalid_response',
    `The response (${status}) does not confirm the alert. Check that the address is the API’s.`,
  );
}
