import type { Clock } from '../clock.js';
import type { Session } from './session.js';
import { isFresh, type Tokens } from './tokens.js';

export interface TokenKeeperOptions {
  clock: Clock;
  /** Gets new tokens; told which access token, if any, was refused by the API. */
  renew(rejected: string | undefined): Promise<Tokens>;
}

export interface TokenKeeper extends Session {
  /** Takes tokens that were obtained otherwise; undefined forgets those that are held. */
  put(tokens: Tokens | undefined): void;
}

/**
 * Keeps one set of tokens for any number of callers. Whoever finds it stale starts a renewal, everybody else joins it;
 * its failure is everybody's, and the next call after it tries again.
 */
export function createTokenKeeper({ clock, renew }: TokenKeeperOptions): TokenKeeper {
  let held: Tokens | undefined;
  let renewal: Promise<Tokens> | undefined;

  const startRenewal = async (rejected: string | undefined): Promise<Tokens> => {
    try {
      held = await renew(rejected);
      return held;
    } finally {
      renewal = undefined;
    }
  };

  return {
    put(tokens) {
      held = tokens;
    },
    async token({ rejected, signal } = {}) {
      signal?.throwIfAborted();
      if (held !== undefined && held.accessToken !== rejected && isFresh(held, clock.now())) {
        return held.accessToken;
      }
      renewal ??= startRenewal(rejected);
      return (await waitFor(renewal, signal)).accessToken;
    },
  };
}

/** Waits for work that others may share: aborting ends the waiting, not the work. */
function waitFor<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
