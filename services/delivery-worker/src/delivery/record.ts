import { isDatabaseAway } from '@tocsin/database';
import type { Logger } from '@tocsin/kit';
import { createBatcher } from '../committing/batcher.js';
import { oneOfEach } from '../committing/one-of-each.js';
import type { Patience } from '../committing/patience.js';
import { createPatientBatcher } from '../committing/patient-batcher.js';
import type { Claimed } from './claimed.js';
import type { Hold, Outcome, RecordRepository } from './record-repository.js';
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
  repository: RecordRepository;
  patience: Patience;
  logger: Logger;
  onBatch: (size: number) => void;
  /** Of claims. */
  leaseMs: number;
}

const maxOutcomesInBatch = 200;
/** The request has been made, and its slot is free: nobody waits for the record but the broker, for its acknowledgement. */
const gatherMs = 20;

export function createRecorder(deps: RecorderDeps): Recorder {
  const { repository, patience, logger, onBatch } = deps;
  const leases = keepLeases(deps);
  const records = createPatientBatcher<Outcome, void>({
    patience,
    commit: async (outcomes) => {
      await repository.record(outcomes);
      return outcomes.map(() => undefined);
    },
    mended: (outcome, err) => {
      const { attempt } = outcome;
      // Without the answer's body already, and refused all the same: it waits, and `database.postponed` tells of it.
      if (!attempt?.response?.body) return outcome;
      logger.error({ err, delivery_id: outcome.claimed.deliveryId }, 'delivery.record_refused');
      const response = { ...attempt.response, body: '', truncated: true };
      return { ...outcome, attempt: { ...attempt, response } };
    },
    maxSize: maxOutcomesInBatch,
    lanes: 2,
    gatherMs,
    onBatch,
  });
  const deferrals = createPatientBatcher<{ claimed: Claimed; deferral: Deferral }, void>({
    patience,
    commit: async (entries) => {
      await repository.defer(entries);
      return entries.map(() => undefined);
    },
    maxSize: maxOutcomesInBatch,
    lanes: 1,
    gatherMs,
  });
  const soon = (work: () => Promise<void>) =>
    patience
      .untilAnswered(work, isDatabaseAway)
      .catch((err) => logger.warn({ err }, 'delivery.hold_given_up'));
  // Many circuits can open at once, when many destinations hang: a commit for each would keep others from the database.
  const holds = createBatcher<Hold, void>({
    run: async (entries) => {
      await soon(() => repository.hold(onePerWebhook(entries)));
      return entries.map(() => undefined);
    },
    maxSize: maxOutcomesInBatch,
    lanes: 1,
  });
  return {
    record: (outcome) => leases.during(outcome.claimed, () => records.add(outcome)),
    defer: (claimed, deferral) => deferrals.add({ claimed, deferral }),
    hold: (hold) => holds.add(hold),
    release: (webhookId) => soon(() => repository.release(webhookId)),
  };
}

/**
 * Renews the leases of what has its outcome and waits long to have it recorded, so that no other worker sends it again
 * meanwhile. One that could not be renewed is put back: that is what leases are for.
 */
function keepLeases({ repository, leaseMs }: RecorderDeps) {
  const waiting = new Set<Claimed>();
  const renew = async () => {
    const halfwayMs = performance.now() + leaseMs / 2;
    const late = [...waiting].filter(({ leaseEndsAtMs }) => leaseEndsAtMs < halfwayMs);
    if (late.length > 0) await repository.renew(late, leaseMs).catch(() => {});
  };
  setInterval(renew, leaseMs / 6).unref();
  return {
    async during(claimed: Claimed, work: () => Promise<void>) {
      waiting.add(claimed);
      await work().finally(() => waiting.delete(claimed));
    },
  };
}

/** The longest of each webhook's. */
function onePerWebhook(holds: Hold[]): Hold[] {
  return oneOfEach(
    holds,
    ({ webhookId }) => webhookId,
    (hold, kept) => hold.forMs > kept.forMs,
  );
}
