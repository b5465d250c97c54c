import type { DeliveryErrorCode } from '@tocsin/contracts';
import type { Database } from '@tocsin/database';
import { maxPageBytes } from '../lists/paging.js';
import type { StoredContent } from './deliveries-reader.js';

export interface StoredAttempt extends StoredContent {
  number: number;
  trigger: 'scheduled' | 'manual';
  startedAt: Date;
  durationMs: number;
  destination: string;
  errorCode: DeliveryErrorCode | null;
  error: string | null;
}

export interface AttemptsReader {
  /**
   * Lists the latest attempts of a delivery, newest first: up to 100, with up to 4 MiB of encrypted content in total.
   * The latest attempt is always listed.
   */
  list(deliveryId: string): Promise<StoredAttempt[]>;
}

export function createAttemptsReader(database: Database): AttemptsReader {
  return {
    list: (deliveryId) => database.prepared<StoredAttempt>(listAttempts, [deliveryId, maxPageBytes]),
  };
}

const listAttempts = {
  name: 'attempts.list',
  // `octet_length` does not read the value itself, so the content of attempts above the limit is not read.
  text: `with latest as (
           select claim, row_number() over newest = 1 or
             sum(octet_length(exchange_encrypted)) over newest <= $2 as is_kept
           from attempts where delivery_id = $1
           window newest as (order by number desc, claim desc) limit 100)
         select a.claim, a.number, a.trigger, a.started_at as "startedAt", a.duration_ms as "durationMs", a.destination,
           a.exchange_encrypted as "contentEncrypted", a.status_code as "statusCode",
           a.response_truncated as "responseTruncated", a.error_code as "errorCode", a.error
         from latest join attempts a on a.delivery_id = $1 and a.claim = latest.claim
         where is_kept order by a.number desc, a.claim desc`,
};
