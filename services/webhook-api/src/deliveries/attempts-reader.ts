import type { DeliveryErrorCode } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';

export interface StoredAttempt {
  deliveryId: string;
  /** Which claim of the delivery it was made under. */
  claim: number;
  number: number;
  trigger: 'scheduled' | 'manual';
  startedAt: Date;
  durationMs: number;
  requestBodyEncrypted: Buffer;
  response: { statusCode: number; text: string; truncated: boolean } | null;
  errorCode: DeliveryErrorCode | null;
  error: string | null;
}

export interface AttemptsReader {
  /** The latest 100 attempts of a delivery, or as many as come to 4 MiB; by number, lowest first. */
  list(deliveryId: string): Promise<StoredAttempt[]>;
}

export function createAttemptsReader(database: Database): AttemptsReader {
  return {
    async list(deliveryId) {
      const rows = await database.prepared<AttemptRow>(listAttempts, [deliveryId, maxBytes]);
      return rows.map(toAttempt).reverse();
    },
  };
}

const maxBytes = 4 * 1_048_576;

const listAttempts = {
  name: 'attempts.list',
  // Lengths are known without reading what is that long: only what is shown is.
  text: `with latest as (
           select claim, row_number() over newest = 1 or
             sum(octet_length(request_body_encrypted) + coalesce(octet_length(response), 0)) over newest <= $2 as is_shown
           from attempts where delivery_id = $1
           window newest as (order by number desc, claim desc) limit 100)
         select a.delivery_id, a.claim, a.number, a.trigger, a.started_at, a.duration_ms, a.request_body_encrypted,
           a.status_code, a.response, a.response_truncated, a.error_code, a.error
         from latest join attempts a on a.delivery_id = $1 and a.claim = latest.claim
         where is_shown order by a.number desc, a.claim desc`,
};

interface AttemptRow {
  delivery_id: string;
  claim: number;
  number: number;
  trigger: 'scheduled' | 'manual';
  started_at: Date;
  duration_ms: number;
  request_body_encrypted: Buffer;
  status_code: number | null;
  response: string | null;
  response_truncated: boolean;
  error_code: DeliveryErrorCode | null;
  error: string | null;
}

function toAttempt(row: AttemptRow): StoredAttempt {
  return {
    deliveryId: row.delivery_id,
    claim: row.claim,
    number: row.number,
    trigger: row.trigger,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    requestBodyEncrypted: row.request_body_encrypted,
    response:
      row.status_code === null
        ? null
        : { statusCode: row.status_code, text: row.response ?? '', truncated: row.response_truncated },
    errorCode: row.error_code,
    error: row.error,
  };
}
