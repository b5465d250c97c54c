import type { Logger } from '@tocsin/kit';
import { createBatcher } from '../batcher.js';
import { oneOfEach } from '../one-of-each.js';
import type { Patience } from '../patience.js';
import { commitSplitting } from '../split-bad-rows.js';
import type { Claimed } from './claim-repository.js';
import type { Hold, Outcome, RecordRepository } from './record-repository.js';
import type { Deferral } from './verdict.js';

/** Commits what became of a delivery. Each promise resolves after the commit, so that the message may be acknowledged. */
export interface Recorder {
  record(outcome: Outcome): Promise<void>;
  defer(claimed: Claimed, deferral: Deferral): Promise<void>;
  hold(hold: Hold): Promise<void>;
  release(webhookId: string): Promise<void>;
}

export interface RecorderDeps {
  repository: RecordRepository;
  patience: Patience;
  logger: Logger;
  onBatch: (size: number) => void;
}

const maxOutcomesInBatch = 200;
/** The request has been made, and its slot is free: nobody waits for the record but the broker, for its acknowledgement. */
const gatherMs = 20;

export function createRecorder({ repository, patience, logger, onBatch }: RecorderDeps): Recorder {
  const records = createBatcher<Outcome, void>({
    run: (outcomes) =>
      commitSplitting<Outcome, void>(outcomes, {
        patience,
        commit: async (batch) => {
          for (const round of roundsOf(batch)) await repository.record(round);
          return batch.map(() => undefined);
        },
        refused: (outcome, err) => {
          logger.error({ err, delivery_id: outcome.claimed.deliveryId }, 'delivery.record_refused');
          return patience.untilAnswered(() => repository.record([withoutValues(outcome)]));
        },
      }),
    maxSize: maxOutcomesInBatch,
    lanes: 2,
    gatherMs,
    onBatch,
  });
  const deferrals = createBatcher<{ claimed: Claimed; deferral: Deferral }, void>({
    run: async (entries) => {
      await patience.untilAnswered(() => repository.defer(entries));
      return entries.map(() => undefined);
    },
    maxSize: maxOutcomesInBatch,
    lanes: 1,
    gatherMs,
  });
  // Many circuits can open at once, when many destinations hang: a commit for each would keep others from the database.
  const holds = createBatcher<Hold, void>({
    run: async (entries) => {
      await patience.untilAnswered(() => repository.hold(onePerWebhook(entries)));
      return entries.map(() => undefined);
    },
    maxSize: maxOutcomesInBatch,
    lanes: 1,
  });
  return {
    record: (outcome) => records.add(outcome),
    defer: (claimed, deferral) => deferrals.add({ claimed, deferral }),
    hold: (hold) => holds.add(hold),
    release: (webhookId) => patience.untilAnswered(() => repository.release(webhookId)),
  };
}

/**
 * Each with one outcome of a delivery at the most, in their order. A delivery has two when its lease ran out while the
 * database was away, and it was claimed and sent again before the first outcome could be recorded.
 */
function roundsOf(outcomes: Outcome[]): Outcome[][] {
  const rounds: Outcome[][] = [];
  const seen = new Map<string, number>();
  for (const outcome of outcomes) {
    const { deliveryId } = outcome.claimed;
    const round = seen.get(deliveryId) ?? 0;
    seen.set(deliveryId, round + 1);
    if (rounds.length === round) rounds.push([]);
    rounds[round]!.push(outcome);
  }
  return rounds;
}

/** The longest of each webhook's. */
function onePerWebhook(holds: Hold[]): Hold[] {
  return oneOfEach(
    holds,
    ({ webhookId }) => webhookId,
    (hold, kept) => hold.forMs > kept.forMs,
  );
}

/** The same outcome without the destination's text. */
function withoutValues(outcome: Outcome): Outcome {
  const { attempt } = outcome;
  if (attempt?.response === undefined) return outcome;
  return {
    ...outcome,
    attempt: { ...attempt, response: { ...attempt.response, body: '', truncated: true } },
  };
}
