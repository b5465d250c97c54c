import type { Logger } from '@tocsin/kit';
import { createBatcher } from '../batcher.js';
import type { Patience } from '../patience.js';
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

export function createRecorder({ repository, patience, logger, onBatch }: RecorderDeps): Recorder {
  const recordSplitting = async (outcomes: Outcome[]): Promise<void> => {
    try {
      await patience.untilAnswered(() => repository.record(outcomes));
    } catch (error) {
      if (!isBadValue(error)) throw error;
      await recordHalves(outcomes, error);
    }
  };
  // One value that the database refuses must not take the rest of its batch along.
  const recordHalves = async (outcomes: Outcome[], error: unknown): Promise<void> => {
    if (outcomes.length === 1) {
      logger.error({ err: error, deliveryId: outcomes[0]!.claimed.deliveryId }, 'delivery.record_refused');
      return patience.untilAnswered(() => repository.record(outcomes.map(withoutValues)));
    }
    const middle = Math.ceil(outcomes.length / 2);
    await recordSplitting(outcomes.slice(0, middle));
    await recordSplitting(outcomes.slice(middle));
  };
  const records = createBatcher<Outcome, void>({
    run: async (outcomes) => {
      await recordSplitting(outcomes);
      return outcomes.map(() => undefined);
    },
    maxSize: maxOutcomesInBatch,
    lanes: 2,
    onBatch,
  });
  const deferrals = createBatcher<{ claimed: Claimed; deferral: Deferral }, void>({
    run: async (entries) => {
      await patience.untilAnswered(() => repository.defer(entries));
      return entries.map(() => undefined);
    },
    maxSize: maxOutcomesInBatch,
    lanes: 1,
  });
  return {
    record: (outcome) => records.add(outcome),
    defer: (claimed, deferral) => deferrals.add({ claimed, deferral }),
    hold: (hold) => patience.untilAnswered(() => repository.hold(hold)),
    release: (webhookId) => patience.untilAnswered(() => repository.release(webhookId)),
  };
}

/** Classes 22 and 23: the statement was understood, a value was not accepted. */
function isBadValue(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && /^2[23]/.test(error.code)
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
