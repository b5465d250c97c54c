import type { CreateWebhook, PatchWebhook } from '@tocsin/contracts';
import { AppError } from '@tocsin/kit';
import { testSecretBox } from '@tocsin/testing/database';
import { decryptSecrets, encryptSecrets, type StoredWebhook } from '../../src/webhooks/stored-webhook.js';
import type { DeleteOutcome } from '../../src/webhooks/webhook-deletion-repository.js';
import { noOptions } from '../../src/webhooks/webhook-options.js';
import { createWebhookUseCases } from '../../src/webhooks/webhook-use-cases.js';
import type { WebhooksRepository } from '../../src/webhooks/webhooks-repository.js';
import { author } from './author.js';

type Update = WebhooksRepository['update'];
type Applied = NonNullable<ReturnType<Parameters<Update>[2]>>;

export const now = new Date('2026-03-01T12:00:00.000Z');
export const earlier = new Date('2026-02-01T00:00:00.000Z');
export const key = {
  id: '00000000-0000-4000-8000-000000000001',
  workspaceId: '8f3b0fc3-9cf9-47f9-b965-db10ee501a61',
};
export const secrets = {
  url: 'https://chat.example.com/hook',
  headers: { 'X-A': ['1'], 'X-B': ['2'] },
  body: '{}',
};

export const stored: StoredWebhook = {
  ...key,
  ...encryptSecrets(testSecretBox, key, secrets),
  ...noOptions,
  externalId: 'external',
  name: 'Chat',
  enabled: true,
  enabledChangedAt: earlier,
  retryOnTimeout: true,
  disabledReason: null,
  version: 3,
  paused: null,
  health: {
    failing: null,
    since: null,
    errorCode: null,
    error: null,
    errorAt: null,
    succeeded: 0,
    failed: 0,
  },
  createdAt: earlier,
  updatedAt: earlier,
  lastUpdatedBy: 'somebody',
};
export const noSecret =
  'signing: the webhook has no signing secret; its deliveries wait until one is created.';

export interface Given {
  before?: StoredWebhook;
  /** The webhook that an update locks. Default: `before`. Undefined if the webhook was deleted before the update. */
  locked?: StoredWebhook | undefined;
  signingSecrets?: number;
  isForNotices?: boolean;
  /** If true, rendering the sample notice exceeds the rate limit. */
  isRateLimited?: boolean;
  isFull?: boolean;
  deletion?: DeleteOutcome;
}

/** Creates the use cases with a repository in memory. `writes` lists the committed changes. */
export function start(given: Given = {}) {
  const { before = stored, signingSecrets = 0, isForNotices, isRateLimited, isFull, deletion } = given;
  const locked = 'locked' in given ? given.locked : before;
  const writes: Applied[] = [];
  const repository = {
    create: async (webhook: StoredWebhook) => (isFull ? undefined : webhook),
    async update(_id: string, _change: unknown, apply: Parameters<Update>[2]) {
      if (locked === undefined) return undefined;
      const applied = apply(locked);
      if (applied !== undefined) writes.push(applied);
      return applied?.webhook ?? locked;
    },
    isForNotices: async () => isForNotices ?? false,
    delete: async () => deletion,
  } as unknown as WebhooksRepository;
  const useCases = createWebhookUseCases({
    repository,
    signingSecrets: { count: async () => signingSecrets },
    secretBox: testSecretBox,
    checks: {
      checkSave: async (_workspaceId, _fields, errors = []) => errors.map(({ path }) => `checked ${path}`),
      errorsOfSave: () => [{ path: '/url', message: 'wrong' }],
      noticeWarnings(_workspaceId, body) {
        if (isRateLimited) throw new AppError('too_many_requests', 'Too many templates.');
        return [`notice: ${body}`];
      },
    },
    maxPerWorkspace: 7,
    now: () => now,
  });
  return {
    useCases,
    writes,
    create: (fields: Partial<CreateWebhook>) =>
      useCases.create(key.workspaceId, { name: 'New', url: secrets.url, body: '{}', ...fields }, author),
    update: (fields: PatchWebhook) => useCases.update(before, fields, author),
  };
}

export const plain = ({ urlEncrypted, headersEncrypted, bodyEncrypted, ...webhook }: StoredWebhook) => ({
  ...webhook,
  ...decryptSecrets(testSecretBox, { urlEncrypted, headersEncrypted, bodyEncrypted, ...webhook }),
});
