import { AppError, createRateLimiter, createSemaphore, createSingleFlight, type Logger } from '@tocsin/kit';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTHeaderParameters } from 'jose';
import { LRUCache } from 'lru-cache';
import type { TrustedIssuer } from './settings.js';

/** Finds the key that verifies a token with this protected header. */
export type KeySource = (header: JWTHeaderParameters) => ReturnType<VerificationKeys>;

type VerificationKeys = ReturnType<typeof createLocalJWKSet>;

export interface KeySourceDeps {
  issuer: string;
  fetchKeys(): Promise<VerificationKeys>;
  logger: Logger;
  /** Monotonic clock in milliseconds. */
  now(): number;
  wait(ms: number): Promise<unknown>;
}

/**
 * Age of the keys in milliseconds after which they are fetched again in the background. During the fetch, requests use
 * the old keys.
 */
const staleAfterMs = 10 * 60_000;
/**
 * Number of fetches in a minute that tokens with unknown key ids can start without a delay. Further fetches start at
 * least 1 s apart. Anybody can send unknown key ids, and a real key rotation needs only one fetch.
 */
const unknownKeyFetchesPerMinute = 12;
/**
 * Minimum time in milliseconds between a failed fetch and the next one, and between two fetches for unknown key ids
 * when `unknownKeyFetchesPerMinute` is reached.
 */
const fetchIntervalMs = 1_000;
/** Maximum number of unknown key ids that wait for a fetch at the same time. */
const maxWaiting = 500;

/**
 * Returns the key source of one issuer. The last valid keys stay in use while the provider is unavailable. An unknown
 * key id is rejected only after a fetch that did not start before the first request with this id, because an earlier
 * fetch may have missed a key rotation.
 * @throws AppError `unavailable` if the first fetch of keys fails, or if the key id is unknown and either a new fetch
 *   fails or too many ids wait for a fetch
 */
export function createKeySource({ issuer, fetchKeys, logger, now, wait }: KeySourceDeps): KeySource {
  let keys: { find: VerificationKeys; fetchStartedAtMs: number } | undefined;
  let failure: { cause: unknown; atMs: number } | undefined;
  const fetches = createSingleFlight<void>();
  const pacedFetches = createSingleFlight<void>();
  const unknownIds = createSingleFlight<void>();
  const waiting = createSemaphore({
    permits: maxWaiting,
    maxWaiting: 0,
    createError: () => unavailable('too many key ids wait for a fetch'),
  });
  const unknownKeyFetches = createRateLimiter({ perMinute: unknownKeyFetchesPerMinute, maxKeys: 1, now });
  const firstRequestedAtMs = new LRUCache<string, number>({ max: 1_000 });

  const noteRequest = (id: string, atMs: number) => {
    const requestedAtMs = firstRequestedAtMs.get(id) ?? atMs;
    firstRequestedAtMs.set(id, requestedAtMs);
    return requestedAtMs;
  };
  const isRecent = (atMs: number) => now() - atMs < fetchIntervalMs;

  const refresh = () =>
    fetches.run(issuer, async () => {
      if (failure && isRecent(failure.atMs)) return;
      const fetchStartedAtMs = now();
      try {
        keys = { find: await fetchKeys(), fetchStartedAtMs };
        failure = undefined;
      } catch (cause) {
        failure = { cause, atMs: now() };
        logger.warn({ err: cause, issuer }, 'identity.keys_fetch_failed');
      }
    });

  async function currentKeys() {
    if (keys === undefined) await refresh();
    if (keys === undefined) throw unavailable(failure?.cause);
    if (now() - keys.fetchStartedAtMs >= staleAfterMs) void refresh();
    return keys;
  }

  const refreshPaced = () =>
    pacedFetches.run(issuer, async () => {
      const { fetchStartedAtMs } = await currentKeys();
      if (!unknownKeyFetches.consume(issuer).allowed) {
        await wait(Math.max(0, fetchStartedAtMs + fetchIntervalMs - now()));
      }
      await refresh();
    });

  async function refreshSince(requestedAtMs: number): Promise<void> {
    // `refreshPaced` can join a fetch that started before the request. The call is repeated until a fetch has started
    // after the request.
    do {
      await refreshPaced();
      if (failure) throw unavailable(failure.cause);
    } while ((await currentKeys()).fetchStartedAtMs < requestedAtMs);
  }

  return async (header) => {
    const receivedAtMs = now();
    const { find, fetchStartedAtMs } = await currentKeys();
    try {
      return await find(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const id = `${header.alg} ${header.kid}`.slice(0, 200);
      const requestedAtMs = noteRequest(id, receivedAtMs);
      const isCurrent = fetchStartedAtMs >= requestedAtMs && isRecent(fetchStartedAtMs) && !failure;
      if (!isCurrent) await unknownIds.run(id, () => waiting.run(() => refreshSince(requestedAtMs)));
      return (await currentKeys()).find(header);
    }
  };
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'The keys of the identity provider are not available now; try again.', {
    cause,
    retryAfterSeconds: 2,
  });
}

const fetchTimeoutMs = 3_000;
const maxDocumentBytes = 1_048_576;

type KeyAddresses = Pick<TrustedIssuer, 'issuer' | 'discoveryUrl' | 'jwksUri' | 'workspaces'>;

/**
 * Fetches the signing keys of an issuer, from `jwksUri` or through OpenID Connect discovery.
 * @throws Error if the provider does not respond, or if its metadata or keys are invalid
 */
export async function fetchSigningKeys(trusted: KeyAddresses): Promise<VerificationKeys> {
  const jwksUri = trusted.jwksUri ?? (await discoverJwksUri(trusted));
  const jwks = await fetchJson(jwksUri);
  // An empty set is a fault of the provider. It must not replace valid keys.
  if (!Array.isArray(jwks.keys) || jwks.keys.length === 0) throw new Error(`${jwksUri} contains no keys`);
  return createLocalJWKSet(jwks as unknown as JSONWebKeySet);
}

async function discoverJwksUri(trusted: KeyAddresses): Promise<string> {
  const { issuer, discoveryUrl = issuer, workspaces } = trusted;
  const metadataUrl = `${discoveryUrl.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = await fetchJson(metadataUrl);
  if (metadata.issuer !== issuer) throw new Error(`${metadataUrl} describes another issuer`);
  const jwksUri = metadata.jwks_uri;
  if (typeof jwksUri !== 'string' || !isAsSecureAs(discoveryUrl, jwksUri)) {
    throw new Error(`${metadataUrl} has no usable jwks_uri`);
  }
  // The metadata of a customer's provider must name keys at the origin of its issuer. Without this rule, the provider
  // could make this service send requests to any address.
  if (workspaces !== 'all' && new URL(jwksUri).origin !== new URL(issuer).origin) {
    throw new Error(
      `${metadataUrl} names keys of another origin; name them as jwks_uri in OIDC_ENTERPRISE_ISSUERS`,
    );
  }
  return jwksUri;
}

function isAsSecureAs(discoveryUrl: string, uri: string): boolean {
  return URL.canParse(uri) && (uri.startsWith('https://') || !discoveryUrl.startsWith('https://'));
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(fetchTimeoutMs),
  });
  const text = await readLimited(response, url);
  if (!response.ok) throw new Error(`${url} responded with status ${response.status}`);
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error(`${url} is not a JSON object`);
  return value as Record<string, unknown>;
}

async function readLimited(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxDocumentBytes) throw new Error(`the response of ${url} exceeds ${maxDocumentBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
