import type { Session } from '@tocsin/client/browser';
import { ErrorResponse, type User, type UserManager } from 'oidc-client-ts';

/**
 * An access token that expires within 30 s is renewed before a request is sent, so that no request arrives with an
 * expired token.
 */
const renewBeforeSeconds = 30;

/**
 * Errors with which the provider rejects a refresh token (RFC 6749, 5.2). Any other error, for example of a proxy that
 * does not reach the provider, may be temporary.
 */
const rejections = new Set([
  'invalid_grant',
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
]);

export interface SessionOptions {
  manager: Pick<UserManager, 'getUser' | 'signinSilent'>;
  /** Redirects the browser to the provider to sign in again. The promise rejects if the browser stays on the page. */
  redirect(): Promise<unknown>;
}

/**
 * Creates a session that renews the access token with the refresh token. The browser is redirected to sign in again
 * only if the provider rejects the refresh token or there is none, because a redirect discards typed text and needs a
 * provider that can be reached. After any other failure of a renewal, the token is used until it expires. After that,
 * the request fails, and the next one tries to renew the token again.
 */
export function createSession({ manager, redirect }: SessionOptions): Session {
  const renew = createSingleFlight(() => manager.signinSilent());
  const startRedirect = createSingleFlight(redirect);
  return {
    async token({ rejected } = {}) {
      const user = await manager.getUser();
      const isValidFor = (seconds: number) =>
        user !== null && user.access_token !== rejected && (user.expires_in ?? 0) > seconds;
      if (user !== null && isValidFor(renewBeforeSeconds)) return user.access_token;
      const renewal = await tryRenew(user, renew);
      if (renewal.kind === 'renewed') return renewal.token;
      if (user !== null && renewal.kind !== 'rejected' && isValidFor(0)) return user.access_token;
      if (renewal.kind === 'failed')
        throw new Error(`Your session could not be renewed: ${renewal.error.message}`);
      startRedirect().catch(() => undefined);
      throw new Error('Your session has ended. Reload the page to sign in again.');
    },
  };
}

type Renewal =
  | { kind: 'renewed'; token: string }
  | { kind: 'no-refresh-token' }
  | { kind: 'rejected' }
  | { kind: 'failed'; error: Error };

async function tryRenew(user: User | null, renew: () => Promise<User | null>): Promise<Renewal> {
  if (user?.refresh_token === undefined) return { kind: 'no-refresh-token' };
  try {
    const renewed = await renew();
    return renewed === null ? { kind: 'no-refresh-token' } : { kind: 'renewed', token: renewed.access_token };
  } catch (error) {
    if (error instanceof ErrorResponse && rejections.has(error.error ?? '')) return { kind: 'rejected' };
    return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Callers that call the returned function while a call of `run` is pending share this call. */
function createSingleFlight<T>(run: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => {
    pending ??= run().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
