import type { SigningSecret, Webhook } from '@tocsin/contracts';
import { type Problem, type TestApi, workspaceId } from './api.js';

type Saved = Webhook & Problem & { warnings: string[] };
type CreatedSecret = SigningSecret & { secret: string };

export const webhooks = `/api/v1/workspaces/${workspaceId}/webhooks`;
export const single = (id: string) => `/api/v1/webhooks/${id}`;
export const secretsOf = (id: string) => `${single(id)}/signing_secrets`;

/** Creates functions that create, change and read webhooks over the API, and `row`, which reads a row of a table. */
export function createWebhookCalls(api: TestApi) {
  return {
    async create(fields: object = {}): Promise<Saved> {
      const body = { name: 'Hook', url: 'http://127.0.0.1:9/', body: '{"a": "é"}', ...fields };
      return (await api.call<Saved>('POST', webhooks, { body })).body;
    },
    patch: (id: string, body: unknown) => api.call<Saved>('PATCH', single(id), { body }),
    read: async (id: string) => (await api.call<Webhook>('GET', single(id))).body,
    addSecret: (id: string, body: object = {}) =>
      api.call<CreatedSecret & Problem>('POST', secretsOf(id), { body }),
    row: (table: string, id: string) => api.database.knex(table).where({ webhook_id: id }).first(),
  };
}
