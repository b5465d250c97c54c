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
  /** `{auth_url}/realms/{realm}`: https, or http on a loopback address. */
  issuer: string;
  clientId: string;
  clientSecret?: string | undefined;
  /** True: the issuer may be plain http on any host, which shows secrets and tokens to the network. Default: false. */
  allowHttp?: boolean | undefined;
}

/** Runs discovery at the first call and caches the result. A failure is not cached. */
export type FindProvider = () => Promise<Configuration>;

const requestTimeoutSeconds = 15;

// ID tokens are ignored: a wrong clock must not make the access token unusable.
const toleratedSkewSeconds = 86_400;

/** @throws SessionError `insecure_issuer` if secrets would cross a network unencrypted. */
export function createFindProvider(options: ProviderOptions): FindProvider {
  const { issuer, clientId, clientSecret, allowHttp = false } = options;
  const refuseInsecure = (url: URL) => {
    if (!allowHttp && !isSecure(url)) throw insecureIssuer(url);
  };
  const server = parseIssuer(issuer);
  refuseInsecure(server);
  /** Endpoints in the provider's metadata must be https or loopback, too. */
  const guardedFetch: CustomFetch = async (url, { body, ...rest }) => {
    refuseInsecure(new URL(url));
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
  if (url === undefined) throw new SessionError('provider_refused', `The issuer ${issuer} is not a URL.`);
  return url;
}

function insecureIssuer({ origin }: URL): SessionError {
  return new SessionError(
    'insecure_issuer',
    `${origin} must be https: only this machine may use http. To allow it anyway: --allow-http, or the option \`allowHttp: true\`.`,
  );
}
