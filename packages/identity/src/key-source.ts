import { AppError, createRateLimiter, createSingleFlight, type Logger } from '@tocsin/kit';
import { errors, type JWTHeaderParameters } from 'jose';
import type { VerificationKeys } from './fetch-keys.js';

export interface KeySourceDeps {
  issuer: string;
  fetchKeys(issuer: string): Promise<VerificationKeys>;
  logger: Logger;
  /** Milliseconds on a clock that never goes back. */
  now(): number;
}

/** Gives the key for a token's protected header. */
export type KeySource = (header: JWTHeaderParameters) => ReturnType<VerificationKeys>;

/** After this the keys are fetched anew behind the requests, which go on with those at hand. */
const staleAfterMs = 10 * 60_000;
/** An unknown key id, which anybody can send, may cause this many fetches; a real rotation needs one. */
const unknownKeyFetchesPerMinute = 12;
/** How often a provider that fails is asked again. */
const failureIntervalMs = 1_000;

/**
 * The keys of one issuer. The last good ones go on serving while the provider is away.
 * @throws AppError `unavailable` while a token cannot be judged: no keys yet, or a key id that is unknown here while
 *   the provider does not answer. Never a verdict on the token.
 */
export function createKeySource({ issuer, fetchKeys, logger, now }: KeySourceDeps): KeySource {
  let keys: VerificationKeys | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failure: { cause: unknown; at: number } | undefined;
  const flight = createSingleFlight<void>();
  const unknownKeys = createRateLimiter({ perMinute: unknownKeyFetchesPerMinute, maxKeys: 1, now });

  const refresh = () =>
    flight.run(issuer, async () => {
      if (failure && now() - failure.at < failureIntervalMs) return;
      try {
        keys = await fetchKeys(issuer);
        fetchedAt = now();
        failure = undefined;
      } catch (cause) {
        failure = { cause, at: now() };
        logger.warn({ err: cause, issuer }, 'identity.keys_fetch_failed');
      }
    });

  async function currentKeys(): Promise<VerificationKeys> {
    if (keys === undefined) await refresh();
    if (keys === undefined) throw unavailable(failure?.cause);
    if (now() - fetchedAt >= staleAfterMs) void refresh();
    return keys;
  }

  return async (header) => {
    const current = await currentKeys();
    try {
      return await current(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (unknownKeys.take(issuer).allowed) await refresh();
      if (failure) throw unavailable(failure.cause);
      return (await currentKeys())(header);
    }
  };
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'The identity provider cannot be reached; try again.', {
    cause,
    retryAfterSeconds: 2,
  });
}
