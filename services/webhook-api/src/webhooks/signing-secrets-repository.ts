import { type AuditAuthor, type Database, recordChanges, type Transaction } from '@tocsin/database';
import { makeDue } from '@tocsin/deliveries';
import type { WebhookKey } from './stored-webhook.js';

export interface StoredSigningSecret {
  id: string;
  secretEncrypted: Buffer;
  createdAt: Date;
  expiresAt: Date | null;
}

type CreateOutcome =
  | { kind: 'created'; secret: StoredSigningSecret }
  | { kind: 'full' }
  | { kind: 'missing' };
type DeleteOutcome = 'deleted' | 'missing' | 'last';

/**
 * Reads and changes the secrets that sign a webhook's requests. Expired secrets are ignored. Each change increases the
 * webhook's version.
 */
export interface SigningSecretsRepository {
  list(webhookId: string): Promise<StoredSigningSecret[]>;
  count(webhookId: string): Promise<number>;
  /**
   * Adds a secret. With `expireOthersAfterSeconds`, the other secrets expire after this time, or at their own earlier
   * expiry; 0 removes them at once. Deliveries that wait for a secret become due. Returns `full` if the webhook would
   * have more than `max` secrets.
   */
  create(
    webhook: WebhookKey,
    secret: Pick<StoredSigningSecret, 'id' | 'secretEncrypted'>,
    options: { expireOthersAfterSeconds: number | undefined; max: number; author: AuditAuthor },
  ): Promise<CreateOutcome>;
  /** Deletes a secret. Returns `last` if the webhook signs requests and would have no secret left. */
  delete(webhook: WebhookKey, secretId: string, author: AuditAuthor): Promise<DeleteOutcome>;
}

export function createSigningSecretsRepository({ knex }: Database): SigningSecretsRepository {
  return {
    list: (webhookId) => validSecrets(knex, webhookId),
    count: async (webhookId) => (await validSecrets(knex, webhookId)).length,

    create: (webhook, { id, secretEncrypted }, { expireOthersAfterSeconds, max, author }) =>
      knex.transaction(async (trx): Promise<CreateOutcome> => {
        if ((await lockWebhook(trx, webhook)) === undefined) return { kind: 'missing' };
        const kept = expireOthersAfterSeconds === 0 ? [] : await validSecrets(trx, webhook.id);
        if (kept.length >= max) return { kind: 'full' };
        if (expireOthersAfterSeconds !== undefined)
          await trx.raw(
            `update webhook_signing_secrets
             set expires_at = least(expires_at, now() + cast(:seconds as integer) * interval '1 second')
             where webhook_id = :id`,
            { id: webhook.id, seconds: expireOthersAfterSeconds },
          );
        await trx('webhook_signing_secrets')
          .where({ webhook_id: webhook.id })
          .whereRaw('expires_at <= now()')
          .delete();
        const row = {
          id,
          webhook_id: webhook.id,
          secret_encrypted: secretEncrypted,
          created_at: trx.fn.now(),
        };
        await trx('webhook_signing_secrets').insert(row);
        await markChanged(trx, webhook, { author, action: 'signing_secret.created' });
        await makeDue(trx, webhook, { only: 'no_signing_secret' });
        const secret = (await validSecrets(trx, webhook.id)).find((one) => one.id === id);
        return { kind: 'created', secret: secret! };
      }),

    delete: (webhook, secretId, author) =>
      knex.transaction(async (trx): Promise<DeleteOutcome> => {
        const locked = await lockWebhook(trx, webhook);
        const secrets = await validSecrets(trx, webhook.id);
        if (locked === undefined || !secrets.some(({ id }) => id === secretId)) return 'missing';
        if (locked.signing && secrets.length === 1) return 'last';
        await trx('webhook_signing_secrets').where({ id: secretId }).delete();
        await markChanged(trx, webhook, { author, action: 'signing_secret.deleted' });
        return 'deleted';
      }),
  };
}

function validSecrets(knex: Database['knex'], webhookId: string): Promise<StoredSigningSecret[]> {
  return knex('webhook_signing_secrets')
    .select('id', 'secret_encrypted as secretEncrypted', 'created_at as createdAt', 'expires_at as expiresAt')
    .where({ webhook_id: webhookId })
    .whereRaw('(expires_at is null or expires_at > now())')
    .orderBy('id');
}

function lockWebhook(trx: Transaction, { id }: WebhookKey): Promise<{ signing: boolean } | undefined> {
  return trx('webhooks').select('signing').where({ id }).forUpdate().first();
}

async function markChanged(
  trx: Transaction,
  { id, workspaceId }: WebhookKey,
  { author, action }: { author: AuditAuthor; action: 'signing_secret.created' | 'signing_secret.deleted' },
): Promise<void> {
  const changes = {
    version: trx.raw('version + 1'),
    updated_at: trx.fn.now(),
    last_updated_by: author.principal,
  };
  await trx('webhooks').where({ id }).update(changes);
  await recordChanges(trx, author, [{ workspaceId, action, resourceId: id }]);
}
