import { createPromiseBatcher, type Logger, uniqueBy } from '@tocsin/kit';
import type { DatabaseRetry } from '../database-retry.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Deferral } from './outcome.js';
import type { Pause, PauseRepository } from './pause-repository.js';
import type { DeferralRecord, OutcomeRecord, RecordRepository } from './record-repository.js';

/** Commits outcomes, deferrals and pauses in batches. The promises of `record` and `defer` resolve after the commit. */
export interface Recorder {
  /**
   * Records an outcome. The commit is retried until it succeeds or the worker stops. Only one call for a delivery may
   * be in progress at a time.
   */
  record(record: OutcomeRecord): Promise<void>;
  defer(claimed: ClaimedDelivery, deferral: Deferral): Promise<void>;
  /** Writes the pause of a webhook. An error is only logged, so that the caller still records the outcome. */
  pause(pause: Pause): Promise<void>;
  /**
   * Ends the pause of a webhook. An error is only logged, because the next request whose result is not a failure of the
   * destination also ends the pause.
   */
  resume(webhookId: string): Promise<void>;
}

export interface RecorderDeps {
  records: RecordRepository;
  pauses: PauseRepository;
  databaseRetry: DatabaseRetry;
  logger: Logger;
  onBatch: (size: number) => void;
}

const maxRecordsInBatch = 300;
/**
 * Minimum time between the starts of two batches that are not full, in milliseconds. A batch of one outcome takes the
 * database almost as much CPU time as a batch of five. The wait delays the record and the acknowledgement, but no other
 * delivery, because the slot is already released. If the worker dies meanwhile, the request is sent again.
 */
const gatherMs = 100;

export function createRecorder(deps: RecorderDeps): Recorder {
  const { records, pauses, databaseRetry, logger, onBatch } = deps;
  const outcomes = databaseRetry.createBatcher<OutcomeRecord, void>({
    commit: records.record,
    replaceInvalid: (record, err) => withoutResponseText(record, err, logger),
    maxSize: maxRecordsInBatch,
    concurrency: 2,
    gatherMs,
    onBatch,
  });
  const deferrals = databaseRetry.createBatcher<DeferralRecord, void>({
    commit: records.defer,
    maxSize: maxRecordsInBatch,
    concurrency: 1,
    gatherMs,
  });
  const ignoreFailure = (work: Promise<void>) =>
    work.catch((err) => logger.warn({ err }, 'webhook.pause_failed'));
  // Many circuit breakers can open at the same time. Their pauses are committed in batches, because separate commits
  // would keep the database busy. While the database is unavailable, a pause is not repeated: its length counts from the
  // commit, so it would end too late.
  const pausing = createPromiseBatcher<Pause, void>({
    run: (batch) => ignoreFailure(pauses.pause(longestOfEachWebhook(batch))),
    maxSize: maxRecordsInBatch,
    concurrency: 1,
  });
  return {
    record: (record) => outcomes.add(record),
    defer: (claimed, deferral) => deferrals.add({ claimed, deferral }),
    pause: (pause) => pausing.add(pause),
    resume: (webhookId) => ignoreFailure(databaseRetry.retryWhileUnavailable(() => pauses.resume(webhookId))),
  };
}

/**
 * Returns a record that the database has rejected, without the texts of the response. The invalid value is assumed to
 * be in these texts, because the destination has chosen them. A record without such texts is returned unchanged.
 */
function withoutResponseText(record: OutcomeRecord, err: unknown, logger: Logger): OutcomeRecord {
  const { attempt } = record;
  if (attempt?.response === undefined) return record;
  const { statusCode, body, location, retryAfter } = attempt.response;
  if (body === '' && location === undefined && retryAfter === undefined) return record;
  logger.error({ err, delivery_id: record.claimed.deliveryId }, 'delivery.record_rejected');
  const response = { statusCode, body: '', truncated: true };
  return { ...record, attempt: { ...attempt, response } };
}

function longestOfEachWebhook(pauses: Pause[]): Pause[] {
  return uniqueBy(
    pauses,
    ({ webhookId }) => webhookId,
    (pause, kept) => pause.forMs > kept.forMs,
  );
}
