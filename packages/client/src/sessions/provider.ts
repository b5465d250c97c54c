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
import { isSecure } from '../loopback.js';
import { SessionError } from './session-error.js';
import { toSessionError } from './to-session-error.js';

export interface ProviderOptions {
  /** URL of the issuer, for Keycloak `{auth_url}/realms/{realm}`: https, or http on a loopback address. */
  issuer: string;
  clientId: string;
  clientSecret?: string | undefined;
  /**
   * True: plain http is allowed to any host. Anyone on the network path can then read secrets and tokens. Default:
   * false.
   */
  allowHttp?: boolean | undefined;
}

/**
 * Reads the provider's metadata (OpenID Connect discovery) at the first call and caches it. Failures are not cached.
 */
export type FindProvider = () => Promise<Configuration>;

const requestTimeoutSeconds = 15;

// Accepted clock difference between this machine and the provider. openid-client checks the times of ID tokens. This
// package does not use ID tokens, so a login must not fail because of a wrong clock.
const toleratedSkewSeconds = 86_400;

/** @throws SessionError `insecure_issuer` for plain http to a host that is not loopback, unless `allowHttp` is set */
export function createFindProvider(options: ProviderOptions): FindProvider {
  const { issuer, clientId, clientSecret, allowHttp = false } = options;
  const rejectInsecure = (url: URL) => {
    if (!allowHttp && !isSecure(url)) throw insecureIssuer(url);
  };
  const server = parseIssuer(issuer);
  rejectInsecure(server);
  /** Checks the URL of every request, because the endpoints in the provider's metadata can have an insecure URL. */
  const guardedFetch: CustomFetch = async (url, { body, ...rest }) => {
    rejectInsecure(new URL(url));
    return fetch(url, { ...rest, ...(body != null && { body: body as NonNullable<RequestInit['body']> }) });
  };
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
  if (url === undefined) throw new SessionError('provider_rejected', `The issuer ${issuer} is not a URL.`);
  return url;
}

function insecureIssuer({ origin }: URL): SessionError {
  return new SessionError(
    'insecure_issuer',
    `${origin} must be https: only this machine may use http. To allow it anyway: --allow-http, or the option \`allowHttp: true\`.`,
  );
}
