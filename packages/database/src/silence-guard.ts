import { createCircuitBreaker, withTimeout } from '@tocsin/kit';

/** Who may go to the database while it is not known to answer. */
export interface SilenceGuard {
  /** Throws what `isDatabaseUnavailable` knows where the database has not answered anybody for a while. */
  admit(): Promise<void>;
  /** The database has answered something. */
  answered(): void;
}

export interface SilenceGuardOptions {
  /** Without any answer for so long, in milliseconds, it is asked whether it is there before anybody is let through. */
  afterMs: number;
  /** Asks something that a living database answers at once. */
  probe: () => Promise<unknown>;
}

/** One that lives answers within this; a statement that takes long is no silence, for the probe is answered beside it. */
const probeWithinMs = 250;

export function createSilenceGuard({ afterMs, probe }: SilenceGuardOptions): SilenceGuard {
  const breaker = createCircuitBreaker({ openAfterMs: afterMs });
  let isThere = Promise.resolve(true);
  return {
    async admit() {
      const state = breaker.admit();
      if (state === 'closed') return;
      if (state === 'half-open') isThere = isAnswered(probe());
      if (await isThere) return;
      throw Object.assign(new Error('The database does not answer at present.'), { code: 'ETIMEDOUT' });
    },
    answered: breaker.responded,
  };
}

function isAnswered(probe: Promise<unknown>): Promise<boolean> {
  return withTimeout(probe, { timeoutMs: probeWithinMs }).then(
    () => true,
    () => false,
  );
}
