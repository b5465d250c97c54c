import type { SecretBox } from '@tocsin/database';
import { destinationOf } from '@tocsin/egress';

/** What may hold credentials. */
export interface WebhookSecrets {
  url: string;
  /** Name to values. */
  headers: Record<string, string[]>;
  body: string;
}

type SecretName = keyof WebhookSecrets;

/** A webhook as it is stored: what may hold credentials is sealed, what of it may be shown stands beside. */
export interface StoredWebhook {
  id: string;
  workspaceId: string;
  name: string;
  sealed: Record<SecretName, Buffer>;
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

/** The stored form of a webhook's secrets, with what of them may be shown. */
export function sealSecrets(
  box: SecretBox,
  id: string,
  { url, headers, body }: WebhookSecrets,
): Pick<StoredWebhook, 'sealed' | 'destination' | 'headerNames'> {
  const seal = (column: SecretName, plain: string) => box.seal(plain, placeOf(id, column));
  return {
    sealed: {
      url: seal('url', url),
      headers: seal('headers', JSON.stringify(headers)),
      body: seal('body', body),
    },
    destination: destinationOf(url),
    headerNames: Object.keys(headers),
  };
}

/** Undefined where a key is missing, or a value was changed or moved. */
export function openSecrets(
  box: SecretBox,
  { id, sealed }: Pick<StoredWebhook, 'id' | 'sealed'>,
): WebhookSecrets | undefined {
  const open = (column: SecretName) => box.open(sealed[column], placeOf(id, column)).toString('utf8');
  try {
    return { url: open('url'), headers: JSON.parse(open('headers')), body: open('body') };
  } catch {
    return undefined;
  }
}

function placeOf(id: string, column: SecretName) {
  return { table: 'webhooks', id, column };
}
