import { createSingleFlight } from '@tocsin/kit';
import type { Clock } from '../clock.js';
import type { Session } from './session.js';
import { isFresh, type Tokens } from './tokens.js';

export interface TokenCacheOptions {
  clock: Clock;
  /** Requests new tokens. `rejected` is the access token that the API rejected, if any. */
  renew(rejected: string | undefined): Promise<Tokens>;
}

export interface TokenCache extends Session {
  /** Replaces the cached tokens. Undefined clears the cache. */
  put(tokens: Tokens | undefined): void;
}

/**
 * Creates a cache of one set of tokens. If it has no fresh tokens, or the API has rejected the access token, the first
 * call starts a renewal, and concurrent calls wait for the result. If the renewal fails, all these calls reject, and
 * the next call starts another renewal.
 */
export function createTokenCache({ clock, renew }: TokenCacheOptions): TokenCache {
  let cached: Tokens | undefined;
  const renewals = createSingleFlight<Tokens>();

  const renewTokens = async (rejected: string | undefined): Promise<Tokens> => {
    cached = await renew(rejected);
    return cached;
  };

  return {
    put(tokens) {
      cached = tokens;
    },
    async token({ rejected, signal } = {}) {
      signal?.throwIfAborted();
      if (cached !== undefined && cached.accessToken !== rejected && isFresh(cached, clock.now())) {
        return cached.accessToken;
      }
      const renewal = renewals.run('tokens', () => renewTokens(rejected));
      return (await waitFor(renewal, signal)).accessToken;
    },
  };
}

/** Waits for work that several callers share. `signal` ends the wait of one caller, and not the work. */
function waitFor<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
