import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger, createMetrics } from '@tocsin/kit';
import { type ResourceScope, useResource } from '@tocsin/testing';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { createIdentity, type Identity, type IdentityDeps, type TrustedIssuer } from '../../src/index.js';

export interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

export async function makeKey(kid: string, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Creates an identity that verifies the tokens of one issuer for the audience `tocsin-api`. */
export function createTestIdentity(
  issuer: Pick<TrustedIssuer, 'issuer'> & Partial<TrustedIssuer>,
  deps: Partial<IdentityDeps> = {},
): Identity {
  const defaults = {
    audience: 'tocsin-api',
    workspaces: 'all' as const,
    groupsClaim: 'groups',
    rolesClaim: 'realm_access.roles',
  };
  return createIdentity({
    settings: { issuers: [{ ...defaults, ...issuer }] },
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics({ service: 'test' }),
    shutdown: { addInterval() {} },
    ...deps,
  });
}

/**
 * Starts a provider that serves a discovery document and keys over HTTP. Tests can make it fail and rotate its keys. It
 * counts the requests for keys.
 */
export async function startProvider() {
  const state = {
    keys: [] as JWK[],
    failing: false,
    fetches: 0,
    metadata: {} as Record<string, unknown>,
    /**
     * The response with the keys is sent after this promise has resolved. The response contains the keys that the
     * provider had when the request arrived.
     */
    keysDelay: Promise.resolve(),
    /** If this function is set, it responds to all requests instead of the provider. */
    respond: undefined as ((request: IncomingMessage, response: ServerResponse) => void) | undefined,
  };
  const server = createServer(async (request, response) => {
    const { keys } = state;
    if (request.url === '/realm/jwks') {
      state.fetches += 1;
      await state.keysDelay;
    }
    if (state.respond) {
      state.respond(request, response);
      return;
    }
    if (state.failing) {
      response.writeHead(503).end('{}');
      return;
    }
    const isMetadata = request.url === '/realm/.well-known/openid-configuration';
    const metadata = { issuer, jwks_uri: `${issuer}/jwks`, ...state.metadata };
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isMetadata ? metadata : { keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm`;
  return {
    issuer,
    state,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

export type Provider = Awaited<ReturnType<typeof startProvider>>;

/** Starts a provider before all tests of a file (default) or before each test, and stops it after these tests. */
export const useProvider = ({ each = 'file' }: { each?: ResourceScope } = {}): Provider =>
  useResource({ each, create: startProvider, close: (provider) => provider.stop() });

export interface TokenParts {
  key: SigningKey;
  issuer: string;
  claims?: JWTPayload;
  header?: Partial<JWTHeaderParameters>;
  /** Names of claims to remove. */
  without?: string[];
}

/** Signs a token like the tokens of the provider, with the changes that a test needs. */
export function sign({ key, issuer, claims = {}, header = {}, without = [] }: TokenParts): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const all: JWTPayload = { iss: issuer, aud: 'tocsin-api', sub: 'ada', iat: now, exp: now + 300, ...claims };
  const kept = Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
  return new SignJWT(kept).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
}
