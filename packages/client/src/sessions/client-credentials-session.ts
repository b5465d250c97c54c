import { clientCredentialsGrant } from 'openid-client';
import { type Clock, systemClock } from '../clock.js';
import { createFindProvider, type FindProvider } from './provider.js';
import type { Session, TokenRequest } from './session.js';
import { toSessionError } from './to-session-error.js';
import { createTokenCache, type TokenCache } from './token-cache.js';
import { type Tokens, tokensFromResponse } from './tokens.js';

export interface ClientCredentialsOptions {
  /** URL of the issuer, for Keycloak `{auth_url}/realms/{realm}`: https, or http on a loopback address. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  scope?: string | undefined;
  clock?: Clock | undefined;
  /** True: an issuer with plain http is accepted on any host. Default: false. */
  allowHttp?: boolean | undefined;
}

/** Session of a service account: OAuth 2.0 client credentials (RFC 6749 §4.4). Only `token` sends requests. */
export class ClientCredentialsSession implements Session {
  readonly #findProvider: FindProvider;
  readonly #tokens: TokenCache;
  readonly #clock: Clock;
  readonly #scope: string | undefined;

  /** @throws SessionError `insecure_issuer` for plain http to a host that is not loopback, unless `allowHttp` is set */
  constructor(options: ClientCredentialsOptions) {
    this.#findProvider = createFindProvider(options);
    this.#clock = options.clock ?? systemClock;
    this.#scope = options.scope;
    this.#tokens = createTokenCache({ clock: this.#clock, renew: () => this.#requestTokens() });
  }

  token(request?: TokenRequest): Promise<string> {
    return this.#tokens.token(request);
  }

  async #requestTokens(): Promise<Tokens> {
    const provider = await this.#findProvider();
    const requestedAtMs = this.#clock.now();
    try {
      const scope = this.#scope;
      return tokensFromResponse(
        await clientCredentialsGrant(provider, scope ? { scope } : {}),
        requestedAtMs,
      );
    } catch (error) {
      throw toSessionError(error, 'The provider returned no token');
    }
  }
}
