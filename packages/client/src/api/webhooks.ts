import { createPaged, type Paged, path, sendTagged, type Tagged } from './requests.js';
import type {
  CreatedSigningSecret,
  CreateSigningSecret,
  CreateWebhook,
  DeleteWebhookQuery,
  ListWebhooksQuery,
  PatchWebhook,
  Preview,
  PreviewTemplate,
  SavedTestResult,
  SavedWebhook,
  SigningSecret,
  TestResult,
  TestSavedWebhook,
  TestWebhook,
  Webhook,
} from './schemas.js';
import type { CallOptions, ChangeOptions, Send } from './transport.js';

export interface WebhooksApi {
  /** Lists all webhooks. `limit` is the number of webhooks that one request fetches. */
  list(query?: ListWebhooksQuery, options?: CallOptions): Paged<Webhook>;
  create(webhook: CreateWebhook, options?: CallOptions): Promise<Tagged<SavedWebhook>>;
  get(id: string, options?: CallOptions): Promise<Tagged<Webhook>>;
  /** Changes only the given fields. Given headers replace all headers. */
  update(id: string, changes: PatchWebhook, options?: ChangeOptions): Promise<Tagged<SavedWebhook>>;
  /**
   * Deletes a webhook.
   * @throws ConflictError if alert rules use the webhook and `force` is not set; the error names these rules
   */
  delete(id: string, options?: DeleteWebhookQuery & ChangeOptions): Promise<void>;
  /** Sends the given body to a URL, without rendering the body as a template. */
  test(request: TestWebhook, options?: CallOptions): Promise<TestResult>;
  /** Renders a saved webhook with sample values, a past alert or a given context. Sends the result to its URL. */
  testSaved(id: string, request?: TestSavedWebhook, options?: CallOptions): Promise<SavedTestResult>;
  /** Renders a template on the server, without sending the body. */
  preview(request: PreviewTemplate, options?: CallOptions): Promise<Preview>;
  /** Secrets with which the requests of a webhook are signed, at most five. */
  signingSecrets: {
    /** Creates a secret. Only this response contains it. */
    create(
      webhookId: string,
      secret?: CreateSigningSecret,
      options?: CallOptions,
    ): Promise<CreatedSigningSecret>;
    list(webhookId: string, options?: CallOptions): Paged<SigningSecret>;
    /** @throws ConflictError if this is the last secret of a webhook with `signing: true` */
    delete(webhookId: string, id: string, options?: CallOptions): Promise<void>;
  };
}

export function createWebhooksApi(send: Send, workspace: () => string): WebhooksApi {
  const collection = () => path`/api/v1/workspaces/${workspace()}/webhooks`;
  const single = (id: string) => path`/api/v1/webhooks/${id}`;
  return {
    list: (query, options) => createPaged(send, { path: collection(), query, options }),
    create: (body, options) => sendTagged(send, { method: 'POST', path: collection(), body, options }),
    get: (id, options) => sendTagged(send, { method: 'GET', path: single(id), options }),
    update: (id, body, options) =>
      sendTagged(send, { method: 'PATCH', path: single(id), body, idempotent: true, options }),
    async delete(id, { force, ...options } = {}) {
      await send({ method: 'DELETE', path: single(id), query: { force }, deletes: true, options });
    },
    test: async (body, options) =>
      (await send<TestResult>({ method: 'POST', path: `${collection()}/test`, body, options })).body,
    testSaved: async (id, body = {}, options = {}) =>
      (await send<SavedTestResult>({ method: 'POST', path: `${single(id)}/test`, body, options })).body,
    async preview(body, options) {
      const request = {
        method: 'POST',
        path: `${collection()}/preview`,
        body,
        idempotent: true,
        options,
      } as const;
      return (await send<Preview>(request)).body;
    },
    signingSecrets: {
      async create(webhookId, body = {}, options = {}) {
        const request = {
          method: 'POST',
          path: `${single(webhookId)}/signing_secrets`,
          body,
          options,
        } as const;
        return (await send<CreatedSigningSecret>(request)).body;
      },
      list: (webhookId, options) =>
        createPaged(send, { path: `${single(webhookId)}/signing_secrets`, options }),
      async delete(webhookId, id, options) {
        await send({
          method: 'DELETE',
          path: path`/api/v1/webhooks/${webhookId}/signing_secrets/${id}`,
          deletes: true,
          options,
        });
      },
    },
  };
}
