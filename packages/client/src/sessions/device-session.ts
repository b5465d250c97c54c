import { refreshTokenGrant, tokenRevocation } from 'openid-client';
import { type Clock, systemClock } from '../clock.js';
import { type DeviceCode, requestDeviceTokens } from './device-login.js';
import { createFindProvider, type FindProvider } from './provider.js';
import type { Session, TokenRequest } from './session.js';
import { SessionError } from './session-error.js';
import { toSessionError } from './to-session-error.js';
import { createTokenCache, type TokenCache } from './token-cache.js';
import { createMemoryTokenStore, type TokenStore } from './token-store.js';
import { isFresh, type Tokens, tokensFromResponse } from './tokens.js';

export interface DeviceSessionOptions {
  /** URL of the issuer, for Keycloak `{auth_url}/realms/{realm}`: https, or http on a loopback address. */
  issuer: string;
  /** Id of a public OAuth client with the device flow enabled. */
  clientId: string;
  /** OAuth scope of the login. Default: `openid`, because some providers reject a login without a scope. */
  scope?: string | undefined;
  /** Storage of the login. Default: a store in memory. */
  store?: TokenStore | undefined;
  clock?: Clock | undefined;
  /** True: an issuer with plain http is accepted on any host. Default: false. */
  allowHttp?: boolean | undefined;
}

/**
 * Session of a person who signs in with a browser: device authorization (RFC 8628), renewed with a refresh token. With
 * a persistent store, later processes use the same login.
 */
export class DeviceSession implements Session {
  readonly #findProvider: FindProvider;
  readonly #tokens: TokenCache;
  readonly #clock: Clock;
  readonly #store: TokenStore;
  readonly #scope: string;

  /** @throws SessionError `insecure_issuer` for plain http to a host that is not loopback, unless `allowHttp` is set */
  constructor(options: DeviceSessionOptions) {
    this.#findProvider = createFindProvider(options);
    this.#clock = options.clock ?? systemClock;
    this.#store = options.store ?? createMemoryTokenStore();
    this.#scope = options.scope ?? 'openid';
    this.#tokens = createTokenCache({ clock: this.#clock, renew: (rejected) => this.#renew(rejected) });
  }

  /**
   * Shows a code and a link, and waits until the person has signed in. If the provider is unavailable during this wait,
   * requests to it are repeated until the code expires.
   * @throws SessionError `access_denied`, `expired_token`, `provider_rejected`, and `provider_unreachable` before the
   * code is shown
   */
  async login(options: { show(code: DeviceCode): void; signal?: AbortSignal | undefined }): Promise<void> {
    const tokens = await requestDeviceTokens({
      provider: await this.#findProvider(),
      clock: this.#clock,
      scope: this.#scope,
      ...options,
    });
    await this.#store.update(async () => tokens);
    this.#tokens.put(tokens);
  }

  /**
   * Deletes the stored login, and revokes its tokens if the provider supports revocation. Does nothing without a login.
   * @throws SessionError if the revocation fails; the stored login is deleted even then
   */
  async logout(): Promise<void> {
    let stored: Tokens | undefined;
    await this.#store.update(async (tokens) => {
      stored = tokens;
      return undefined;
    });
    this.#tokens.put(undefined);
    if (stored === undefined) return;
    const provider = await this.#findProvider();
    if (provider.serverMetadata().revocation_endpoint === undefined) return;
    try {
      await tokenRevocation(provider, stored.refreshToken ?? stored.accessToken);
    } catch (error) {
      throw toSessionError(error, 'The login is forgotten here, but could not be revoked');
    }
  }

  token(request?: TokenRequest): Promise<string> {
    return this.#tokens.token(request);
  }

  async #renew(rejected: string | undefined): Promise<Tokens> {
    let failure: SessionError | undefined;
    const renewed = await this.#store.update(async (stored) => {
      if (stored === undefined) return undefined;
      // Another process may have refreshed the tokens while this process waited for the lock.
      if (stored.accessToken !== rejected && isFresh(stored, this.#clock.now())) return stored;
      if (stored.refreshToken === undefined) return undefined;
      try {
        return await this.#refresh(stored.refreshToken);
      } catch (error) {
        failure = toSessionError(error, 'The login could not be refreshed');
        return failure.reason === 'invalid_grant' ? undefined : stored;
      }
    });
    if (failure !== undefined && failure.reason !== 'invalid_grant') throw failure;
    if (renewed === undefined) throw loginRequired(failure);
    return renewed;
  }

  async #refresh(refreshToken: string): Promise<Tokens> {
    const provider = await this.#findProvider();
    const requestedAtMs = this.#clock.now();
    const response = await refreshTokenGrant(provider, refreshToken);
    // RFC 6749 §6: if the response has no refresh token, the old one stays valid.
    return { refreshToken, ...tokensFromResponse(response, requestedAtMs) };
  }
}

function loginRequired(cause: SessionError | undefined): SessionError {
  const message =
    cause === undefined ? 'Nobody is logged in: log in first.' : 'The login has ended: log in again.';
  return new SessionError('login_required', message, { cause });
}
