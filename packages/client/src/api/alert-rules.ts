import { createPaged, type Paged } from './paged.js';
import { path } from './path.js';
import type { AlertRule, CreateAlertRule, ListAlertRulesQuery, PatchAlertRule } from './schemas.js';
import type { CallOptions, Send } from './transport.js';

export interface AlertRulesApi {
  /** Lists all rules; with `limit`, they are fetched in pages of that size. */
  list(query?: ListAlertRulesQuery, options?: CallOptions): Paged<AlertRule>;
  create(rule: CreateAlertRule, options?: CallOptions): Promise<AlertRule>;
  get(id: string, options?: CallOptions): Promise<AlertRule>;
  /** Changes the given fields. The list of webhook ids is replaced as a whole. */
  update(id: string, changes: PatchAlertRule, options?: CallOptions): Promise<AlertRule>;
  delete(id: string, options?: CallOptions): Promise<void>;
}

export function createAlertRulesApi(send: Send, workspace: () => string): AlertRulesApi {
  const collection = () => path`/api/v1/workspaces/${workspace()}/alert_rules`;
  const single = (id: string) => path`/api/v1/alert_rules/${id}`;
  return {
    list: (query, options) => createPaged(send, { path: collection(), query, options }),
    create: async (body, options) =>
      (await send<AlertRule>({ method: 'POST', path: collection(), body, options })).body,
    get: async (id, options) => (await send<AlertRule>({ method: 'GET', path: single(id), options })).body,
    async update(id, body, options) {
      const request = { method: 'PATCH', path: single(id), body, idempotent: true, options } as const;
      return (await send<AlertRule>(request)).body;
    },
    async delete(id, options) {
      await send({ method: 'DELETE', path: single(id), options });
    },
  };
}
