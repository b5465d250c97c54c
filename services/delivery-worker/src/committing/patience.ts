import { setTimeout as sleep } from 'node:timers/promises';
import { classifyDatabaseError, isDatabaseUnavailable } from '@tocsin/database';
import type { Logger } from '@tocsin/kit';

/** Waits trouble of the database out: what was taken from the queue is held, and nothing more is taken meanwhile. */
export interface Patience {
  /**
   * Repeats `work`, which must be safe to repeat, while the database is away, or whatever else `isWaitedOut` says; if
   * not given, also while it does not come to an end in time. Other errors are thrown.
   */
  untilAnswered<T>(work: () => Promise<T>, isWaitedOut?: (error: unknown) => boolean): Promise<T>;
  /** A while after something failed for the `failures`th time; false, at once, when the worker is told to stop. */
  rest(error: unknown, failures: number): Promise<boolean>;
}

export interface PatienceOptions {
  logger: Logger;
  signal: AbortSignal;
  /** Called when the first piece of work finds the database away, and when the last one has been answered. */
  pause: () => Promise<unknown>;
  resume: () => Promise<unknown>;
  /** Called once where the database stays away: it may be there for others, and they are to have what waits here. */
  handBack: () => Promise<unknown>;
  handBackAfterMs?: number;
}

const firstDelayMs = 50;
const maxDelayMs = 2_000;
const maxConflicts = 10;
/** A database that is started anew, or changes its primary, is back by then. */
const defaultHandBackAfterMs = 15_000;
/** What rests again and again tells of it about once in a minute. */
const restsToALine = 30;

export function createPatience(options: PatienceOptions): Patience {
  const { logger, signal, pause, resume, handBack, handBackAfterMs = defaultHandBackAfterMs } = options;
  let troubled = 0;
  let handingBack: NodeJS.Timeout | undefined;

  const begin = (error: unknown) => {
    troubled += 1;
    if (troubled > 1) return;
    logger.warn({ err: error }, 'database.away');
    void pause();
  };
  const giveUp = () => {
    if (signal.aborted) return;
    logger.warn({}, 'database.away_long');
    void handBack();
  };
  const end = () => {
    troubled -= 1;
    if (troubled > 0) return;
    clearTimeout(handingBack);
    handingBack = undefined;
    logger.info({}, 'database.back');
    if (!signal.aborted) void resume();
  };

  return {
    async untilAnswered(work, isWaitedOut = isAwayOrOutOfTime) {
      let waits = 0;
      let conflicts = 0;
      try {
        for (;;) {
          try {
            return await work();
          } catch (error) {
            if (classifyDatabaseError(error) === 'conflict' && conflicts < maxConflicts) {
              conflicts += 1;
              continue;
            }
            if (!isWaitedOut(error) || signal.aborted) throw error;
            if (waits === 0) begin(error);
            // What takes too long here, as behind a lock, does so everywhere.
            if (isDatabaseUnavailable(error)) handingBack ??= setTimeout(giveUp, handBackAfterMs).unref();
            waits += 1;
            conflicts = 0;
            await sleep(delayMs(waits), undefined, { signal });
          }
        }
      } finally {
        if (waits > 0) end();
      }
    },
    async rest(err, failures) {
      if (failures % restsToALine === 1) logger.warn({ err, failures }, 'database.postponed');
      await sleep(delayMs(failures), undefined, { signal }).catch(() => {});
      return !signal.aborted;
    },
  };
}

function isAwayOrOutOfTime(error: unknown): boolean {
  return ['unavailable', 'timeout'].includes(classifyDatabaseError(error));
}

/** What `untilAnswered` waits out is thrown only where the worker is told to stop. */
export function isCutShort(error: unknown): boolean {
  return isAwayOrOutOfTime(error) || isAborted(error);
}

/** It was waiting for the database when the worker was told to stop. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Before a further try, after so many in vain. */
function delayMs(failures: number): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}
