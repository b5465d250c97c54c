import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '@tocsin/database';
import type { Logger } from '@tocsin/kit';

/** Waits trouble of the database out: what was taken from the queue is held, and nothing more is taken meanwhile. */
export interface Patience {
  /** Repeats `work` while the database is away, so it must be safe to repeat. Other errors are thrown. */
  untilAnswered<T>(work: () => Promise<T>): Promise<T>;
}

export interface PatienceOptions {
  logger: Logger;
  signal: AbortSignal;
  /** Called when the first piece of work finds the database away, and when the last one has been answered. */
  pause: () => Promise<unknown>;
  resume: () => Promise<unknown>;
}

const firstDelayMs = 50;
const maxDelayMs = 2_000;

export function createPatience({ logger, signal, pause, resume }: PatienceOptions): Patience {
  let troubled = 0;

  const begin = (error: unknown) => {
    troubled += 1;
    if (troubled > 1) return;
    logger.warn({ err: error }, 'database.away');
    void pause();
  };
  const end = () => {
    troubled -= 1;
    if (troubled > 0) return;
    logger.info({}, 'database.back');
    if (!signal.aborted) void resume();
  };

  return {
    async untilAnswered(work) {
      let waiting = false;
      try {
        for (let attempt = 0; ; attempt += 1) {
          try {
            return await work();
          } catch (error) {
            if (isConflict(error) && attempt < 10) continue;
            if (!isDatabaseAway(error) || signal.aborted) throw error;
            if (!waiting) begin(error);
            waiting = true;
            await sleep(jittered(Math.min(maxDelayMs, firstDelayMs * 2 ** attempt)), undefined, { signal });
          }
        }
      } finally {
        if (waiting) end();
      }
    },
  };
}

function jittered(delayMs: number): number {
  return delayMs * (0.5 + Math.random() / 2);
}

/**
 * Deadlock, serialization failure, and a key that another has written since this began, which may be the same statement
 * given up as lost: the server undid it, and the next try meets no rival.
 */
const conflicts: unknown[] = ['40P01', '40001', '23505'];

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && conflicts.includes(error.code);
}
