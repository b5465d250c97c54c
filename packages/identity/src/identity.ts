import {
  AppError,
  type AuthenticateInput,
  type Logger,
  type Metrics,
  type Shutdown,
  sleep,
} from '@tocsin/kit';
import { createKeySource, fetchSigningKeys } from './key-source.js';
import type { Principal } from './principal.js';
import type { IdentitySettings } from './settings.js';
import { createTokenCache } from './token-cache.js';
import { createTokenVerifier, readBearerToken, type VerifiedToken } from './token-verifier.js';

export interface Identity {
  /**
   * Verifies the `Authorization` header of a request.
   * @throws AppError `unauthenticated`, or `unavailable` while the key of the token is unknown and cannot be fetched
   */
  authenticate(input: AuthenticateInput): Promise<Principal>;
  /** Verifies a token that is not in a header. Throws the same errors as `authenticate`. */
  verifyToken(token: string): Promise<Principal>;
}

export interface IdentityDeps {
  settings: IdentitySettings;
  logger: Logger;
  metrics: Pick<Metrics, 'counter'>;
  shutdown: Pick<Shutdown, 'addInterval'>;
  /** Wall clock in milliseconds. */
  now?: () => number;
}

/** Verifies bearer tokens and returns their principals. Valid tokens are cached (see `createTokenCache`). */
export function createIdentity(deps: IdentityDeps): Identity {
  const { settings, logger, metrics, shutdown, now = Date.now } = deps;
  const checks = metrics.counter('tocsin_token_checks_total', 'Access tokens checked, by result.', [
    'result',
  ]);
  // The counter of each result starts at 0, because alarms react to increases. Without the 0, the first counted result
  // would not be an increase.
  for (const result of ['valid', 'cached', 'invalid', 'unavailable']) checks.inc({ result }, 0);
  const verify = createTokenVerifier({
    issuers: settings.issuers,
    keysOf: (trusted) =>
      createKeySource({
        issuer: trusted.issuer,
        fetchKeys: () => fetchSigningKeys(trusted),
        logger,
        now: () => performance.now(),
        wait: (ms) => sleep(ms),
      }),
    currentDate: () => new Date(now()),
  });
  const cache = createTokenCache({ shutdown, now });

  async function verifyToken(token: string): Promise<Principal> {
    const cached = cache.get(token);
    if (cached !== undefined) {
      checks.inc({ result: 'cached' });
      return cached;
    }
    const verified = await verifyCounted(token);
    cache.set(token, verified);
    return verified.principal;
  }

  async function verifyCounted(token: string): Promise<VerifiedToken> {
    try {
      const result = await verify(token);
      checks.inc({ result: 'valid' });
      return result;
    } catch (error) {
      const isInvalid = error instanceof AppError && error.code === 'unauthenticated';
      checks.inc({ result: isInvalid ? 'invalid' : 'unavailable' });
      throw error;
    }
  }

  return {
    authenticate: async ({ authorization }) => verifyToken(readBearerToken(authorization)),
    verifyToken,
  };
}
