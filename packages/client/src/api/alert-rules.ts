import { createPaged, type Paged, path, sendTagged, type Tagged } from './requests.js';
import type { AlertRule, CreateAlertRule, ListAlertRulesQuery, PatchAlertRule } from './schemas.js';
import type { CallOptions, ChangeOptions, Send } from './transport.js';

export interface AlertRulesApi {
  /** Lists all rules. `limit` is the number of rules that one request fetches. */
  list(query?: ListAlertRulesQuery, options?: CallOptions): Paged<AlertRule>;
  create(rule: CreateAlertRule, options?: CallOptions): Promise<Tagged<AlertRule>>;
  get(id: string, options?: CallOptions): Promise<Tagged<AlertRule>>;
  /** Changes only the given fields. A given list of webhook ids replaces the whole list. */
  update(id: string, changes: PatchAlertRule, options?: ChangeOptions): Promise<Tagged<AlertRule>>;
  delete(id: string, options?: ChangeOptions): Promise<void>;
}

export function createAlertRulesApi(send: Send, workspace: () => string): AlertRulesApi {
  const collection = () => path`/api/v1/workspaces/${workspace()}/alert_rules`;
  const single = (id: string) => path`/api/v1/alert_rules/${id}`;
  return {
    list: (query, options) => createPaged(send, { path: collection(), query, options }),
    create: (body, options) => sendTagged(send, { method: 'POST', path: collection(), body, options }),
    get: (id, options) => sendTagged(send, { method: 'GET', path: single(id), options }),
    update: (id, body, options) =>
      sendTagged(send, { method: 'PATCH', path: single(id), body, idempotent: true, options }),
    async delete(id, options) {
      await send({ method: 'DELETE', path: single(id), deletes: true, options });
    },
  };
}
