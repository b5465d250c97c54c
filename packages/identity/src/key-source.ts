import { AppError, createRateLimiter, createSemaphore, createSingleFlight, type Logger } from '@tocsin/kit';
import { errors, type JWTHeaderParameters } from 'jose';
import { LRUCache } from 'lru-cache';
import type { VerificationKeys } from './fetch-keys.js';

export interface KeySourceDeps {
  issuer: string;
  fetchKeys(issuer: string): Promise<VerificationKeys>;
  logger: Logger;
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  wait(ms: number): Promise<unknown>;
}

/** Gives the key for a token's protected header. */
export type KeySource = (header: JWTHeaderParameters) => ReturnType<VerificationKeys>;

/** After this the keys are fetched anew behind the requests, which go on with those at hand. */
const staleAfterMs = 10 * 60_000;
/** An unknown key id, which anybody can send, may cause this many fetches at once; a real rotation needs one. */
const unknownKeyFetchesPerMinute = 12;
/** Beyond them there is one in so long, and so is a provider that fails asked again. */
const fetchIntervalMs = 1_000;
/** Key ids that wait for that. */
const maxWaiting = 500;

/**
 * The keys of one issuer. The last good ones go on serving while the provider is away. A key id that is unknown is judged
 * by keys whose fetch began after it was first asked for: before, they may have been those of before a rotation.
 * @throws AppError `unavailable` while a token cannot be judged: no keys yet, or a key id that is unknown here while
 *   the provider does not answer or too many wait for its answer. Never a verdict on the token.
 */
export function createKeySource({ issuer, fetchKeys, logger, now, wait }: KeySourceDeps): KeySource {
  let keys: { find: VerificationKeys; begunAt: number } | undefined;
  let failure: { cause: unknown; at: number } | undefined;
  const flight = createSingleFlight<void>();
  const turn = createSingleFlight<void>();
  const waits = createSingleFlight<void>();
  const waiting = createSemaphore({
    permits: maxWaiting,
    maxWaiting: 0,
    createError: () => unavailable('too many key ids wait for a fetch'),
  });
  const unknownKeys = createRateLimiter({ perMinute: unknownKeyFetchesPerMinute, maxKeys: 1, now });
  const firstAsked = new LRUCache<string, number>({ max: 1_000 });

  /** When the key id was asked for first, as far as it is remembered. */
  const noteAsked = (id: string, cameAt: number) => {
    const askedAt = firstAsked.get(id) ?? cameAt;
    firstAsked.set(id, askedAt);
    return askedAt;
  };
  const isRecent = (at: number) => now() - at < fetchIntervalMs;

  const refresh = () =>
    flight.run(issuer, async () => {
      if (failure && isRecent(failure.at)) return;
      const begunAt = now();
      try {
        keys = { find: await fetchKeys(issuer), begunAt };
        failure = undefined;
      } catch (cause) {
        failure = { cause, at: now() };
        logger.warn({ err: cause, issuer }, 'identity.keys_fetch_failed');
      }
    });

  async function currentKeys() {
    if (keys === undefined) await refresh();
    if (keys === undefined) throw unavailable(failure?.cause);
    if (now() - keys.begunAt >= staleAfterMs) void refresh();
    return keys;
  }

  const refreshInTurn = () =>
    turn.run(issuer, async () => {
      const { begunAt } = await currentKeys();
      if (!unknownKeys.consume(issuer).allowed) await wait(Math.max(0, begunAt + fetchIntervalMs - now()));
      await refresh();
    });

  async function refreshSince(askedAt: number): Promise<void> {
    // A fetch that was under way already may have begun too early.
    do {
      await refreshInTurn();
      if (failure) throw unavailable(failure.cause);
    } while ((await currentKeys()).begunAt < askedAt);
  }

  return async (header) => {
    const cameAt = now();
    const { find, begunAt } = await currentKeys();
    try {
      return await find(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const id = `${header.alg} ${header.kid}`.slice(0, 200);
      const askedAt = noteAsked(id, cameAt);
      const isJudged = begunAt >= askedAt && isRecent(begunAt) && !failure;
      if (!isJudged) await waits.run(id, () => waiting.run(() => refreshSince(askedAt)));
      return (await currentKeys()).find(header);
    }
  };
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'The keys of the identity provider cannot be had now; try again.', {
    cause,
    retryAfterSeconds: 2,
  });
}
