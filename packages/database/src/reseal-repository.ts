import type { Database } from './connection.js';
import type { SecretBox } from './secret-box.js';

export interface Resealed {
  webhooks: number;
  attempts: number;
}

/** Rows read at once; a row holds up to about 200 KiB. */
const pageRows = 200;

/**
 * Seals with the current key whatever an older key sealed, page by page, beside a running system: a row that changes
 * meanwhile is left to its writer, who seals with the current key. Done again, or after a break, it goes on with what
 * is left. Throws where a value's key is not among those of `secrets`.
 */
export async function resealAll(database: Database, secrets: SecretBox): Promise<Resealed> {
  return {
    webhooks: await resealWebhooks(database, secrets),
    attempts: await resealAttempts(database, secrets),
  };
}

async function resealWebhooks({ knex }: Database, secrets: SecretBox): Promise<number> {
  let resealed = 0;
  for (let after: string | undefined = firstId; after !== undefined; ) {
    const { rows }: { rows: WebhookRow[] } = await knex.raw(
      `select id, version, url_encrypted, headers_encrypted, body_encrypted from webhooks where id > ? order by id limit ?`,
      [after, pageRows],
    );
    for (const { id, version, url_encrypted, headers_encrypted, body_encrypted } of rows) {
      if (![url_encrypted, headers_encrypted, body_encrypted].some(secrets.isStale)) continue;
      const renew = (sealed: Buffer, column: string) => {
        const place = { table: 'webhooks', id, column };
        return secrets.seal(secrets.open(sealed, place), place);
      };
      // The version stays: what the webhook says has not changed.
      resealed += await knex('webhooks')
        .where({ id, version })
        .update({
          url_encrypted: renew(url_encrypted, 'url'),
          headers_encrypted: renew(headers_encrypted, 'headers'),
          body_encrypted: renew(body_encrypted, 'body'),
        });
    }
    after = rows.length < pageRows ? undefined : rows.at(-1)?.id;
  }
  return resealed;
}

async function resealAttempts({ knex }: Database, secrets: SecretBox): Promise<number> {
  let resealed = 0;
  for (let after: [string, number] | undefined = [firstId, 0]; after !== undefined; ) {
    const { rows }: { rows: AttemptRow[] } = await knex.raw(
      `select delivery_id, claim, request_body_encrypted from attempts
       where (delivery_id, claim) > (?, ?) order by delivery_id, claim limit ?`,
      [...after, pageRows],
    );
    for (const { delivery_id, claim, request_body_encrypted } of rows) {
      if (!secrets.isStale(request_body_encrypted)) continue;
      const place = { table: 'attempts', id: `${delivery_id}/${claim}`, column: 'request_body' };
      resealed += await knex('attempts')
        .where({ delivery_id, claim })
        .update({ request_body_encrypted: secrets.seal(secrets.open(request_body_encrypted, place), place) });
    }
    const last = rows.at(-1);
    after = rows.length < pageRows || last === undefined ? undefined : [last.delivery_id, last.claim];
  }
  return resealed;
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
