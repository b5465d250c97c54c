import type { SecretBox } from '@tocsin/database';
import { destinationOf } from '@tocsin/egress';

/** The parts of a webhook that can contain credentials. */
export interface WebhookSecrets {
  url: string;
  /** Values by name. */
  headers: Record<string, string[]>;
  body: string;
}

interface EncryptedSecrets {
  urlEncrypted: Buffer;
  headersEncrypted: Buffer;
  bodyEncrypted: Buffer;
  /** Scheme and host of the url, for lists. */
  destination: string;
  headerNames: string[];
}

export interface StoredWebhook extends EncryptedSecrets {
  id: string;
  workspaceId: string;
  name: string;
  enabled: boolean;
  retryOnTimeout: boolean;
  /** Number of changes, starting at 1. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  lastUpdatedBy: string;
}

export function encryptSecrets(
  box: SecretBox,
  id: string,
  { url, headers, body }: WebhookSecrets,
): EncryptedSecrets {
  const encrypt = (column: keyof WebhookSecrets, plain: string) => box.encrypt(plain, locationOf(id, column));
  return {
    urlEncrypted: encrypt('url', url),
    headersEncrypted: encrypt('headers', JSON.stringify(headers)),
    bodyEncrypted: encrypt('body', body),
    destination: destinationOf(url),
    headerNames: Object.keys(headers),
  };
}

/** Undefined when the key is missing, or a value was changed or moved to another row. */
export function decryptSecrets(box: SecretBox, webhook: StoredWebhook): WebhookSecrets | undefined {
  const { id, urlEncrypted, headersEncrypted, bodyEncrypted } = webhook;
  const decrypt = (column: keyof WebhookSecrets, encrypted: Buffer) =>
    box.decrypt(encrypted, locationOf(id, column)).toString('utf8');
  try {
    return {
      url: decrypt('url', urlEncrypted),
      headers: JSON.parse(decrypt('headers', headersEncrypted)),
      body: decrypt('body', bodyEncrypted),
    };
  } catch {
    return undefined;
  }
}

function locationOf(id: string, column: keyof WebhookSecrets) {
  return { table: 'webhooks', id, column };
}
