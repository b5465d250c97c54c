import type { Webhook } from '@tocsin/contracts';
import { type TestApi, workspaceId } from './api.js';

export type SavedWebhook = Webhook & { warnings: string[] };

export const webhooksPath = `/api/v1/workspaces/${workspaceId}/webhooks`;

/** Fields of a webhook with secrets in its URL and headers. */
export const webhookFields = {
  name: 'Ops chat',
  url: 'http://127.0.0.1:9/hooks/s3cret?token=t0ken',
  headers: {
    Authorization: ['Basic dXNlcjpwYXNz'],
    'Content-Type': ['application/json'],
    'X-Many': ['one', 'two'],
  },
  body: '{"text": "{{ alert_rule_name }}", "value": {{ metric_value }}}',
};

/** Options that the API returns for a webhook that was created without options. */
export const optionDefaults = {
  retry_schedule_ms: null,
  timeout_ms: null,
  rate_limit: null,
  signing: false,
  idempotency_header: null,
  paused_until: null,
  disabled_reason: null,
};

export async function createWebhook(api: TestApi, changes: object = {}): Promise<SavedWebhook> {
  const body = { ...webhookFields, ...changes };
  const created = await api.call<SavedWebhook>('POST', webhooksPath, { body });
  expect(created.status).toBe(201);
  return created.body;
}
