import type { Database, SecretBox } from '@tocsin/database';

/** A webhook as it is sent to. */
export interface Destination {
  id: string;
  version: number;
  url: string;
  headers: Record<string, string[]>;
  body: string;
}

/** One whose url, headers or body cannot be read. */
export interface Unopened {
  id: string;
  /** Why, for the log; it holds no secret. */
  error: unknown;
}

export interface WebhooksReader {
  /** Webhooks as they are now; what is gone is missing. */
  find(ids: string[]): Promise<(Destination | Unopened)[]>;
}

export interface WebhooksReaderDeps {
  database: Database;
  secrets: SecretBox;
  /** Told of each that was read. */
  onRead: (webhook: Destination | Unopened) => void;
}

export function createWebhooksReader({ database, secrets, onRead }: WebhooksReaderDeps): WebhooksReader {
  return {
    async find(ids) {
      const rows = await database.prepared<WebhookRow>(find, [ids]);
      const found = rows.map((row) => openOrTell(row, secrets));
      for (const webhook of found) onRead(webhook);
      return found;
    },
  };
}

const find = {
  name: 'delivery.find-webhooks',
  text: `select id, version, url_encrypted, headers_encrypted, body_encrypted from webhooks where id = any($1::uuid[])`,
};

interface WebhookRow {
  id: string;
  version: number;
  url_encrypted: Buffer;
  headers_encrypted: Buffer;
  body_encrypted: Buffer;
}

/** Its key may not be set, or the row is damaged: that is the one webhook's trouble, not that of those read with it. */
function openOrTell(row: WebhookRow, secrets: SecretBox): Destination | Unopened {
  try {
    return toDestination(row, secrets);
  } catch (error) {
    return { id: row.id, error };
  }
}

function toDestination(row: WebhookRow, secrets: SecretBox): Destination {
  const decrypt = (encrypted: Buffer, column: string) =>
    secrets.decrypt(encrypted, { table: 'webhooks', id: row.id, column }).toString('utf8');
  return {
    id: row.id,
    version: row.version,
    url: decrypt(row.url_encrypted, 'url'),
    headers: JSON.parse(decrypt(row.headers_encrypted, 'headers')),
    body: decrypt(row.body_encrypted, 'body'),
  };
}
