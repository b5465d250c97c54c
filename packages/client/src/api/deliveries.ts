import { createPaged, type Paged, path } from './requests.js';
import type {
  Delivery,
  DeliveryStats,
  DeliveryWithAttempts,
  GetDeliveryStatsQuery,
  ListDeliveriesQuery,
} from './schemas.js';
import type { CallOptions, Send } from './transport.js';

export interface DeliveriesApi {
  /** Lists deliveries, newest first. */
  list(query?: ListDeliveriesQuery, options?: CallOptions): Paged<Delivery>;
  get(id: string, options?: CallOptions): Promise<DeliveryWithAttempts>;
  /**
   * Sends an ended delivery again, or a waiting delivery at once.
   * @throws ConflictError while the delivery is `sending`
   */
  redeliver(id: string, options?: CallOptions): Promise<Delivery>;
  /**
   * Returns counts of deliveries for each minute, hour or day. A delivery counts in the time step in which its alert
   * was accepted.
   */
  stats(query?: GetDeliveryStatsQuery, options?: CallOptions): Promise<DeliveryStats>;
  /**
   * Ends an open delivery as `skipped`.
   * @throws ConflictError while the delivery is `sending`, and after it has ended
   */
  cancel(id: string, options?: CallOptions): Promise<Delivery>;
}

export function createDeliveriesApi(send: Send, workspace: () => string): DeliveriesApi {
  const single = (id: string) => path`/api/v1/deliveries/${id}`;
  return {
    list: (query, options) =>
      createPaged(send, { path: path`/api/v1/workspaces/${workspace()}/deliveries`, query, options }),
    get: async (id, options) =>
      (await send<DeliveryWithAttempts>({ method: 'GET', path: single(id), options })).body,
    redeliver: async (id, options) =>
      (await send<Delivery>({ method: 'POST', path: `${single(id)}/redeliver`, options })).body,
    async stats(query, options) {
      const statsPath = path`/api/v1/workspaces/${workspace()}/delivery_stats`;
      return (await send<DeliveryStats>({ method: 'GET', path: statsPath, query, options })).body;
    },
    cancel: async (id, options) =>
      (await send<Delivery>({ method: 'POST', path: `${single(id)}/cancel`, options })).body,
  };
}
