import type { Database, SecretBox } from '@tocsin/database';
import { signingSecretLocation, webhookLocation } from '@tocsin/deliveries';
import { addedHeaders, createRedactSecrets, type RedactSecrets, signingKeyOf } from '@tocsin/egress';
import { createLogThrottle, createPromiseBatcher, type Logger } from '@tocsin/kit';
import { LRUCache } from 'lru-cache';
import type { DatabaseRetry } from '../database-retry.js';

/** A webhook with its decrypted values. */
export interface DecryptedWebhook {
  id: string;
  version: number;
  /** Scheme and host of the url. */
  destination: string;
  url: string;
  headers: Record<string, string[]>;
  body: string;
  /** Redacts the secrets of the webhook's url and headers in texts that the destination sends. */
  redact: RedactSecrets;
  /** Options of the webhook; undefined if every option has its default, as for most webhooks. */
  options: RequestOptions | undefined;
}

/** Options of a webhook, in addition to its url, headers and body. */
export interface RequestOptions {
  /**
   * Waits before the second attempt, the third and so on, in milliseconds. If it is undefined, the waits in the setting
   * `RETRY_SCHEDULE` apply.
   */
  retryScheduleMs: readonly number[] | undefined;
  timeoutMs: number | undefined;
  rateLimit: { requests: number; periodMs: number } | undefined;
  /** Keys that sign each request; undefined if the webhook does not sign. */
  signingKeys: SigningKey[] | undefined;
  /** Name of the request header that contains the delivery's id. */
  idempotencyHeader: string | undefined;
  /** Manual pauses of the webhook, in Unix milliseconds. */
  manualPauses: readonly (readonly [fromMs: number, toMs: number])[];
}

export interface SigningKey {
  key: Buffer;
  /** Unix time in milliseconds; Infinity if the key does not expire. */
  expiresAtMs: number;
}

/** A webhook whose url, headers, body or signing secrets cannot be decrypted. */
export interface Undecryptable {
  id: string;
  /** Error for the log, without secrets. */
  error: unknown;
}

export interface WebhooksReader {
  /**
   * Returns the webhook in this or a later version, from a cache or from the database; undefined if it does not exist.
   * An undecryptable webhook is not cached.
   */
  get(id: string, version: number): Promise<DecryptedWebhook | Undecryptable | undefined>;
}

export interface WebhooksReaderDeps {
  database: Database;
  databaseRetry: DatabaseRetry;
  secretBox: SecretBox;
  logger: Logger;
}

/** Maximum memory of the cached webhooks in bytes, enough for about 3,000 webhooks with a token in a header. */
const maxCacheBytes = 64 * 1_048_576;
/**
 * Memory of a webhook's function `redact`, in bytes for each byte of the url and headers: encodings of their secrets,
 * and a compiled regular expression. Measured: 118 with 49 short tokens, 98 with one, and less with longer values.
 */
const redactionBytes = 100;

export function createWebhooksReader(deps: WebhooksReaderDeps): WebhooksReader {
  const { database, databaseRetry, secretBox, logger } = deps;
  const cache = new LRUCache<string, DecryptedWebhook>({
    max: 5_000,
    maxSize: maxCacheBytes,
    sizeCalculation: bytesOf,
  });
  const logThrottled = createLogThrottle({ everyMs: 60_000 });
  const read = async (ids: string[]) => {
    const rows = await databaseRetry.retryWhileUnavailable(() =>
      database.prepared<WebhookRow>(find, [[...new Set(ids)]]),
    );
    const byId = new Map(rows.map((row) => [row.id, decryptRow(row, secretBox)]));
    return ids.map((id) => byId.get(id));
  };
  const loader = createPromiseBatcher<string, DecryptedWebhook | Undecryptable | undefined>({
    run: read,
    maxSize: 50,
    concurrency: 2,
  });
  return {
    async get(id, version) {
      const cached = cache.get(id);
      if (cached !== undefined && cached.version >= version) return cached;
      const loaded = await loader.add(id);
      if (loaded === undefined) return undefined;
      if ('error' in loaded)
        logThrottled((count) =>
          logger.error({ err: loaded.error, webhook_id: id, count }, 'webhook.decrypt_failed'),
        );
      else cache.set(id, loaded);
      return loaded;
    },
  };
}

/** Estimates the memory that a cached webhook uses, in bytes. */
function bytesOf({ url, headers, body }: DecryptedWebhook): number {
  return 2 * body.length + redactionBytes * Buffer.byteLength(url + JSON.stringify(headers));
}

const find = {
  name: 'delivery.find-webhooks',
  text: `
    select id, workspace_id, version, destination, url_encrypted, headers_encrypted, body_encrypted,
           case when signing or num_nonnulls(retry_schedule_ms, timeout_ms, rate_limit_requests, idempotency_header,
                                             manual_pauses) > 0
           then jsonb_build_object(
             'retrySchedule', retry_schedule_ms, 'timeout', timeout_ms, 'requests', rate_limit_requests,
             'period', rate_limit_period_ms, 'idempotencyHeader', idempotency_header,
             'pauses', (select jsonb_agg(array[extract(epoch from lower(p)), extract(epoch from upper(p))])
                        from unnest(manual_pauses) p),
             'secrets', case when signing then (
               select coalesce(jsonb_agg(jsonb_build_object(
                 'id', s.id, 'secret', encode(s.secret_encrypted, 'base64'),
                 'expires', extract(epoch from s.expires_at)) order by s.id), '[]')
               from webhook_signing_secrets s where s.webhook_id = webhooks.id) end) end as options
    from webhooks where id = any($1::uuid[])`,
};

interface WebhookRow {
  id: string;
  workspace_id: string;
  version: number;
  destination: string;
  url_encrypted: Buffer;
  headers_encrypted: Buffer;
  body_encrypted: Buffer;
  options: OptionsRow | null;
}

/**
 * Times in `pauses` and `expires` are Unix seconds. The durations `retrySchedule`, `timeout` and `period` are
 * milliseconds.
 */
interface OptionsRow {
  retrySchedule: number[] | null;
  timeout: number | null;
  requests: number | null;
  period: number | null;
  idempotencyHeader: string | null;
  pauses: [from: number, to: number][] | null;
  secrets: { id: string; secret: string; expires: number | null }[] | null;
}

/**
 * Decrypts one webhook. Errors are caught for each webhook, so that a missing key or a damaged row does not affect the
 * other webhooks of the batch.
 */
function decryptRow(row: WebhookRow, secretBox: SecretBox): DecryptedWebhook | Undecryptable {
  try {
    return toWebhook(row, secretBox);
  } catch (error) {
    return { id: row.id, error };
  }
}

function toWebhook(row: WebhookRow, secretBox: SecretBox): DecryptedWebhook {
  const { id, workspace_id: workspaceId } = row;
  const decrypt = (encrypted: Buffer, column: 'url' | 'headers' | 'body') =>
    secretBox.decrypt(encrypted, webhookLocation({ workspaceId, id }, column)).toString('utf8');
  const url = decrypt(row.url_encrypted, 'url');
  const headers = JSON.parse(decrypt(row.headers_encrypted, 'headers'));
  return {
    id,
    version: row.version,
    destination: row.destination,
    url,
    headers,
    body: decrypt(row.body_encrypted, 'body'),
    redact: createRedactSecrets({ url, headers }),
    options: row.options === null ? undefined : toOptions(row.options, workspaceId, secretBox),
  };
}

function toOptions(row: OptionsRow, workspaceId: string, secretBox: SecretBox): RequestOptions {
  const { requests, period: periodMs, pauses, secrets } = row;
  return {
    retryScheduleMs: row.retrySchedule ?? undefined,
    timeoutMs: row.timeout ?? undefined,
    rateLimit: requests === null || periodMs === null ? undefined : { requests, periodMs },
    signingKeys: secrets?.map(({ id, secret, expires }) => {
      const location = signingSecretLocation({ workspaceId, id });
      return {
        key: signingKeyOf(secretBox.decrypt(Buffer.from(secret, 'base64'), location).toString('utf8')),
        expiresAtMs: expires === null ? Number.POSITIVE_INFINITY : expires * 1_000,
      };
    }),
    idempotencyHeader: row.idempotencyHeader ?? undefined,
    manualPauses: (pauses ?? []).map(([from, to]) => [from * 1_000, to * 1_000] as const),
  };
}

export function validKeys(keys: SigningKey[], nowMs: number): Buffer[] {
  return keys.filter(({ expiresAtMs }) => expiresAtMs > nowMs).map(({ key }) => key);
}

/**
 * Returns the headers that the options add to one attempt. The last valid key can expire while the delivery waits for a
 * slot. The request is then signed with all keys, because a webhook with `signing` never gets an unsigned one.
 */
export function optionHeaders(
  { signingKeys = [], idempotencyHeader }: RequestOptions,
  { deliveryId, body, atMs }: { deliveryId: string; body: string; atMs: number },
): string[] {
  const valid = validKeys(signingKeys, atMs);
  const keys = valid.length > 0 ? valid : signingKeys.map(({ key }) => key);
  return addedHeaders({ id: deliveryId, body, atMs, keys, idempotencyHeader });
}

/** Returns how many of the last `ageMs` milliseconds were in a manual pause. */
export function pausedMsOf(
  { manualPauses }: RequestOptions,
  { ageMs, nowMs }: { ageMs: number; nowMs: number },
) {
  return manualPauses.reduce(
    (sum, [fromMs, toMs]) => sum + Math.max(0, Math.min(nowMs, toMs) - Math.max(nowMs - ageMs, fromMs)),
    0,
  );
}
