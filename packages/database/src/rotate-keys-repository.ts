import type { Database } from './connection.js';
import type { SecretBox, SecretLocation } from './secret-box.js';

/** Number of rows that were encrypted with the current key. */
export interface RotatedRows {
  webhooks: number;
  attempts: number;
}

const pageRows = 200;

/**
 * Encrypts with the current key every value that an older key encrypted, page by page, while the system runs. A row
 * that changes meanwhile is skipped: its writer uses the current key. After an interruption a second call continues
 * with the rows that are left.
 */
export async function rotateKeys(database: Database, secrets: SecretBox): Promise<RotatedRows> {
  return {
    webhooks: await rotateWebhooks(database, secrets),
    attempts: await rotateAttempts(database, secrets),
  };
}

async function rotateWebhooks({ knex }: Database, secrets: SecretBox): Promise<number> {
  let rotated = 0;
  for (let after: string | undefined = firstId; after !== undefined; ) {
    const { rows }: { rows: WebhookRow[] } = await knex.raw(
      'select id, version, url_encrypted, headers_encrypted, body_encrypted from webhooks where id > ? order by id limit ?',
      [after, pageRows],
    );
    for (const { id, version, url_encrypted, headers_encrypted, body_encrypted } of rows) {
      if ([url_encrypted, headers_encrypted, body_encrypted].every(secrets.usesCurrentKey)) continue;
      const rotate = (encrypted: Buffer, column: string) =>
        reencrypt(secrets, encrypted, { table: 'webhooks', id, column });
      // The version stays: the content of the webhook has not changed.
      rotated += await knex('webhooks')
        .where({ id, version })
        .update({
          url_encrypted: rotate(url_encrypted, 'url'),
          headers_encrypted: rotate(headers_encrypted, 'headers'),
          body_encrypted: rotate(body_encrypted, 'body'),
        });
    }
    after = rows.length < pageRows ? undefined : rows.at(-1)?.id;
  }
  return rotated;
}

async function rotateAttempts({ knex }: Database, secrets: SecretBox): Promise<number> {
  let rotated = 0;
  for (let after: [string, number] | undefined = [firstId, 0]; after !== undefined; ) {
    const { rows }: { rows: AttemptRow[] } = await knex.raw(
      `select delivery_id, claim, request_body_encrypted from attempts
       where (delivery_id, claim) > (?, ?) order by delivery_id, claim limit ?`,
      [...after, pageRows],
    );
    for (const { delivery_id, claim, request_body_encrypted } of rows) {
      if (secrets.usesCurrentKey(request_body_encrypted)) continue;
      const location = { table: 'attempts', id: `${delivery_id}/${claim}`, column: 'request_body' };
      rotated += await knex('attempts')
        .where({ delivery_id, claim })
        .update({ request_body_encrypted: reencrypt(secrets, request_body_encrypted, location) });
    }
    const last = rows.at(-1);
    after = rows.length < pageRows || last === undefined ? undefined : [last.delivery_id, last.claim];
  }
  return rotated;
}

function reencrypt(secrets: SecretBox, encrypted: Buffer, location: SecretLocation): Buffer {
  return secrets.encrypt(secrets.decrypt(encrypted, location), location);
}

const firstId = '00000000-0000-0000-0000-000000000000';

interface WebhookRow {
  id: string;
  version: number;
  url_encrypted: Buffer;
  headers_encrypted: Buffer;
  body_encrypted: Buffer;
}

interface AttemptRow {
  delivery_id: string;
  claim: number;
  request_body_encrypted: Buffer;
}
