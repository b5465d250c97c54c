import { createPromiseBatcher, type Logger } from '@tocsin/kit';
import type { DatabaseRetry } from '../database-retry.js';
import { uniqueBy } from '../unique-by.js';
import type { Claimed } from './claimed.js';
import type { DeferralRepository, Deferred } from './deferral-repository.js';
import type { Hold, HoldRepository } from './hold-repository.js';
import { keepLeases } from './keep-leases.js';
import type { Outcome, RecordRepository } from './record-repository.js';
import type { Deferral } from './verdict.js';

/** Commits what became of a delivery. Each promise resolves after the commit, so that the message may be acknowledged. */
export interface Recorder {
  /** A delivery's one outcome has to be recorded before it may have another. */
  record(outcome: Outcome): Promise<void>;
  defer(claimed: Claimed, deferral: Deferral): Promise<void>;
  /** Given up where it cannot be written soon: the outcome must not wait for it, and later it would hold too late. */
  hold(hold: Hold): Promise<void>;
  /** Given up likewise: the next good answer does it. */
  release(webhookId: string): Promise<void>;
}

export interface RecorderDeps {
  records: RecordRepository;
  deferrals: DeferralRepository;
  holds: HoldRepository;
  databaseRetry: DatabaseRetry;
  logger: Logger;
  onBatch: (size: number) => void;
  /** Of claims. */
  leaseMs: number;
}

const maxOutcomesInBatch = 200;
/** The request has been made, and its slot is free: nobody waits for the record but the broker, for its acknowledgement. */
const gatherMs = 20;

export function createRecorder(deps: RecorderDeps): Recorder {
  const { databaseRetry, logger, onBatch, leaseMs } = deps;
  const leases = keepLeases({ renew: deps.deferrals.renew, leaseMs });
  const records = databaseRetry.createBatcher<Outcome, void>({
    commit: deps.records.record,
    replaceInvalid: (outcome, err) => {
      const { attempt } = outcome;
      // Without the answer's body already, and refused all the same: it waits, and `database.postponed` tells of it.
      if (!attempt?.response?.body) return outcome;
      logger.error({ err, delivery_id: outcome.claimed.deliveryId }, 'delivery.record_refused');
      const response = { ...attempt.response, body: '', truncated: true };
      return { ...outcome, attempt: { ...attempt, response } };
    },
    maxSize: maxOutcomesInBatch,
    concurrency: 2,
    gatherMs,
    onBatch,
  });
  const deferrals = databaseRetry.createBatcher<Deferred, void>({
    commit: deps.deferrals.defer,
    maxSize: maxOutcomesInBatch,
    concurrency: 1,
    gatherMs,
  });
  const soon = (work: () => Promise<void>) =>
    databaseRetry.whileUnavailable(work).catch((err) => logger.warn({ err }, 'delivery.hold_given_up'));
  // Many circuits can open at once, when many destinations hang: a commit for each would keep others from the database.
  const holds = createPromiseBatcher<Hold, void>({
    run: (entries) => soon(() => deps.holds.hold(onePerWebhook(entries))),
    maxSize: maxOutcomesInBatch,
    concurrency: 1,
  });
  return {
    record: (outcome) => leases.during(outcome.claimed, () => records.add(outcome)),
    defer: (claimed, deferral) => deferrals.add({ claimed, deferral }),
    hold: (hold) => holds.add(hold),
    release: (webhookId) => soon(() => deps.holds.release(webhookId)),
  };
}

/** The longest of each webhook's. */
function onePerWebhook(holds: Hold[]): Hold[] {
  return uniqueBy(
    holds,
    ({ webhookId }) => webhookId,
    (hold, kept) => hold.forMs > kept.forMs,
  );
}
