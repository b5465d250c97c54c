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
  requestBodySealed: Buffer;
  response: { statusCode: number; text: string; truncated: boolean } | null;
  errorCode: DeliveryErrorCode | null;
  error: string | null;
}

export interface AttemptsReader {
  /** The latest 100 attempts of a delivery, by number, lowest first. */
  list(deliveryId: string): Promise<StoredAttempt[]>;
}

export function createAttemptsReader(database: Database): AttemptsReader {
  return {
    async list(deliveryId) {
      const rows = await database.prepared<AttemptRow>(listAttempts, [deliveryId]);
      return rows.map(toAttempt).reverse();
    },
  };
}

const listAttempts = {
  name: 'attempts.list',
  text: `select delivery_id, claim, number, trigger, started_at, duration_ms, request_body_sealed, status_code, response,
           response_truncated, error_code, error
         from attempts where delivery_id = $1 order by number desc, claim desc limit 100`,
};

interface AttemptRow {
  delivery_id: string;
  claim: number;
  number: number;
  trigger: 'scheduled' | 'manual';
  started_at: Date;
  duration_ms: number;
  request_body_sealed: Buffer;
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
    requestBodySealed: row.request_body_sealed,
    response:
      row.status_code === null
        ? null
        : { statusCode: row.status_code, text: row.response ?? '', truncated: row.response_truncated },
    errorCode: row.error_code,
    error: row.error,
  };
}
