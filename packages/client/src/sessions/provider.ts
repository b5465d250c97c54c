import {
  allowInsecureRequests,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  clockTolerance,
  customFetch,
  discovery,
  None,
} from 'openid-client';
import { isLoopback } from '../loopback.js';
import { SessionError } from './session-error.js';
import { toSessionError } from './to-session-error.js';

export interface ProviderOptions {
  /** `{auth_url}/realms/{realm}`: https, or http on a loopback address. */
  issuer: string;
  clientId: string;
  clientSecret?: string | undefined;
}

/** Runs discovery at the first call and caches the result. A failure is not cached. */
export type FindProvider = () => Promise<Configuration>;

const requestTimeoutSeconds = 15;

// ID tokens are ignored: a wrong clock must not make the access token unusable.
const toleratedSkewSeconds = 86_400;

/** @throws SessionError `insecure_issuer` if secrets would cross a network unencrypted. */
export function createFindProvider({ issuer, clientId, clientSecret }: ProviderOptions): FindProvider {
  const server = parseIssuer(issuer);
  let found: Promise<Configuration> | undefined;
  const find = async () => {
    try {
      const auth = clientSecret === undefined ? None() : ClientSecretPost(clientSecret);
      return await discovery(server, clientId, { [clockTolerance]: toleratedSkewSeconds }, auth, {
        [customFetch]: guardedFetch,
        execute: [allowInsecureRequests],
        timeout: requestTimeoutSeconds,
      });
    } catch (error) {
      found = undefined;
      throw toSessionError(error, `The provider ${issuer} could not be found`);
    }
  };
  return () => {
    found ??= find();
    return found;
  };
}

function parseIssuer(issuer: string): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined) throw new SessionError('provider_refused', `The issuer ${issuer} is not a URL.`);
  refuseInsecure(url);
  return url;
}

/** Endpoints in the provider's metadata must be https or loopback, too. */
const guardedFetch: CustomFetch = async (url, options) => {
  refuseInsecure(new URL(url));
  const { body, ...rest } = options;
  return fetch(url, { ...rest, ...(body != null && { body: body as NonNullable<RequestInit['body']> }) });
};

function refuseInsecure(url: URL): void {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return;
  throw new SessionError('insecure_issuer', `${url.origin} must be https: only this machine may use http.`);
}
