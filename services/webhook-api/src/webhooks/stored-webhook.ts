import type { DeliveryErrorCode, PauseReason } from '@tocsin/contracts';
import type { SecretBox } from '@tocsin/database';
import { webhookLocation } from '@tocsin/deliveries';
import { destinationOf } from '@tocsin/egress';
import { AppError } from '@tocsin/kit';

/** The fields of a webhook that can contain credentials. */
export interface WebhookSecrets {
  url: string;
  /** Header values by name. */
  headers: Record<string, string[]>;
  body: string;
}

interface EncryptedValues {
  urlEncrypted: Buffer;
  headersEncrypted: Buffer;
  bodyEncrypted: Buffer;
}

interface EncryptedSecrets extends EncryptedValues {
  /** Scheme, host and port of the URL, for lists. */
  destination: string;
  headerNames: string[];
}

/** A pause that has not ended. Times are in ISO 8601. */
interface StoredPause {
  reason: PauseReason;
  since: string;
  until: string;
  error: string | null;
}

/** Results of a webhook's recent attempts, and counts of its ended deliveries. Times are in ISO 8601. */
interface StoredHealth {
  /** True if the last attempt failed; null if there was no attempt within 24 hours. */
  failing: boolean | null;
  /** Time of the first attempt in the current series of failures or successes; null before the first attempt. */
  since: string | null;
  /** Error code of the last failed attempt; null if no attempt has failed. */
  errorCode: DeliveryErrorCode | null;
  error: string | null;
  errorAt: string | null;
  /**
   * Numbers of succeeded and failed deliveries whose alerts were accepted in the last 24 hours. The period begins with
   * a full hour.
   */
  succeeded: number;
  failed: number;
}

/** Options of a webhook, in addition to its URL, headers and body. */
export interface WebhookOptions {
  retryScheduleMs: number[] | null;
  timeoutMs: number | null;
  rateLimit: { requests: number; period_ms: number } | null;
  signing: boolean;
  idempotencyHeader: string | null;
  pausedUntil: Date | null;
}

/** A webhook without its pause and health: the columns that API requests can change, and metadata. */
export interface WrittenWebhook extends EncryptedSecrets, WebhookOptions {
  id: string;
  workspaceId: string;
  externalId: string | null;
  name: string;
  enabled: boolean;
  /** Time of the last change of `enabled`; null if it was never changed. */
  enabledChangedAt: Date | null;
  retryOnTimeout: boolean;
  disabledReason: string | null;
  /** Version of the webhook: 1 at first, and increased by each change. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  lastUpdatedBy: string;
}

/** A webhook with its current pause and its health. */
export interface StoredWebhook extends WrittenWebhook {
  paused: StoredPause | null;
  health: StoredHealth;
}

/** A webhook as it is read for a list without secrets. */
export interface WebhookWithoutSecrets extends Omit<StoredWebhook, keyof EncryptedValues> {
  /** True if this process lacks a key for one of the encrypted values. The values themselves are not read. */
  keyIsMissing: boolean;
}

export type WebhookKey = Pick<StoredWebhook, 'id' | 'workspaceId'>;

export function encryptSecrets(
  secretBox: SecretBox,
  webhook: WebhookKey,
  { url, headers, body }: WebhookSecrets,
): EncryptedSecrets {
  const encrypt = (column: keyof WebhookSecrets, plain: string) =>
    secretBox.encrypt(plain, webhookLocation(webhook, column));
  return {
    urlEncrypted: encrypt('url', url),
    headersEncrypted: encrypt('headers', JSON.stringify(headers)),
    bodyEncrypted: encrypt('body', body),
    destination: destinationOf(url),
    headerNames: Object.keys(headers),
  };
}

/**
 * Result for secrets that cannot be decrypted. Their key is missing, or they were changed or copied from another row.
 */
export interface Undecryptable {
  /** Key id of the first value that cannot be decrypted. */
  keyId: string;
}

export function decryptSecrets(
  secretBox: SecretBox,
  webhook: WrittenWebhook,
): WebhookSecrets | Undecryptable {
  const { urlEncrypted, headersEncrypted, bodyEncrypted } = webhook;
  let keyId = '';
  const decrypt = (column: keyof WebhookSecrets, encrypted: Buffer) => {
    keyId = secretBox.keyIdOf(encrypted);
    return secretBox.decrypt(encrypted, webhookLocation(webhook, column)).toString('utf8');
  };
  try {
    return {
      url: decrypt('url', urlEncrypted),
      headers: JSON.parse(decrypt('headers', headersEncrypted)),
      body: decrypt('body', bodyEncrypted),
    };
  } catch {
    return { keyId };
  }
}

/**
 * Returns the decrypted secrets of a webhook.
 * @throws AppError `undecryptable`
 */
export function requireSecrets(secretBox: SecretBox, webhook: StoredWebhook): WebhookSecrets {
  const secrets = decryptSecrets(secretBox, webhook);
  if ('keyId' in secrets) throw undecryptable(secrets);
  return secrets;
}

export function undecryptable({ keyId }: Undecryptable): AppError {
  const detail = `The webhook is encrypted with the key ${JSON.stringify(keyId)}, and cannot be decrypted: the key is not in SECRETS_KEYS, or the values were changed. Send url, headers and body to save it again.`;
  return new AppError('undecryptable', detail, { extra: { key_id: keyId } });
}
