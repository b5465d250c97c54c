import type { SecretBox } from '@tocsin/database';
import { destinationOf } from '@tocsin/egress';

/** The parts of a webhook that can contain credentials. */
export interface WebhookSecrets {
  url: string;
  /** Name to values. */
  headers: Record<string, string[]>;
  body: string;
}

type SecretName = keyof WebhookSecrets;

/** A webhook as the database stores it: secrets encrypted, with the parts of them that lists may show. */
export interface StoredWebhook {
  id: string;
  workspaceId: string;
  name: string;
  encrypted: Record<SecretName, Buffer>;
  /** Scheme and host of the url. */
  destination: string;
  headerNames: string[];
  enabled: boolean;
  retryOnTimeout: boolean;
  /** Counts changes, from 1. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
  lastUpdatedBy: string;
}

/** The stored form of a webhook's secrets, with the parts of them that lists may show. */
export function encryptSecrets(
  box: SecretBox,
  id: string,
  { url, headers, body }: WebhookSecrets,
): Pick<StoredWebhook, 'encrypted' | 'destination' | 'headerNames'> {
  const encrypt = (column: SecretName, plain: string) => box.encrypt(plain, locationOf(id, column));
  return {
    encrypted: {
      url: encrypt('url', url),
      headers: encrypt('headers', JSON.stringify(headers)),
      body: encrypt('body', body),
    },
    destination: destinationOf(url),
    headerNames: Object.keys(headers),
  };
}

/** Undefined where a key is missing, or a value was changed or moved. */
export function decryptSecrets(
  box: SecretBox,
  { id, encrypted }: Pick<StoredWebhook, 'id' | 'encrypted'>,
): WebhookSecrets | undefined {
  const decrypt = (column: SecretName) =>
    box.decrypt(encrypted[column], locationOf(id, column)).toString('utf8');
  try {
    return { url: decrypt('url'), headers: JSON.parse(decrypt('headers')), body: decrypt('body') };
  } catch {
    return undefined;
  }
}

function locationOf(id: string, column: SecretName) {
  return { table: 'webhooks', id, column };
}
