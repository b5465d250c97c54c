import {
  type Configuration,
  genericGrantRequest,
  initiateDeviceAuthorization,
  ResponseBodyError,
} from 'openid-client';
import type { Clock } from '../clock.js';
import { SessionError } from './session-error.js';
import { toSessionError } from './to-session-error.js';
import { type Tokens, tokensFromResponse } from './tokens.js';

/** Code and links for the person who signs in. */
export interface DeviceCode {
  userCode: string;
  verificationUri: string;
  /** Link that contains the code, if the provider sent one. */
  verificationUriComplete: string | undefined;
  expiresInSeconds: number;
}

export interface DeviceLoginOptions {
  provider: Configuration;
  clock: Clock;
  scope: string;
  show(code: DeviceCode): void;
  signal?: AbortSignal | undefined;
}

const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Requests tokens with the device authorization grant (RFC 8628). The polling of openid-client is not used: it ends the
 * login when the provider is unavailable for a moment, and does not accept the clock of a test.
 */
export async function requestDeviceTokens(options: DeviceLoginOptions): Promise<Tokens> {
  const { provider, clock, scope, show, signal } = options;
  const startedAtMs = clock.now();
  const device = await initiate(provider, scope);
  show({
    userCode: device.user_code,
    verificationUri: device.verification_uri,
    verificationUriComplete: device.verification_uri_complete,
    expiresInSeconds: device.expires_in,
  });
  const deadlineMs = startedAtMs + device.expires_in * 1000;
  // RFC 8628 §3.2: the default interval is five seconds.
  let intervalMs = (device.interval ?? 5) * 1000;
  while (clock.now() + intervalMs < deadlineMs) {
    await clock.sleep(intervalMs, signal);
    const requestedAtMs = clock.now();
    const outcome = await poll(provider, device.device_code);
    signal?.throwIfAborted();
    if (outcome.kind === 'tokens') return tokensFromResponse(outcome.response, requestedAtMs);
    if (outcome.kind === 'slow_down') intervalMs += 5_000;
    if (outcome.kind === 'unreachable') intervalMs *= 2;
  }
  throw new SessionError('expired_token', 'The code has expired before anybody signed in with it.');
}

async function initiate(provider: Configuration, scope: string) {
  try {
    return await initiateDeviceAuthorization(provider, { scope });
  } catch (error) {
    throw toSessionError(error, 'The login could not be started');
  }
}

type PollOutcome =
  | { kind: 'tokens'; response: Awaited<ReturnType<typeof genericGrantRequest>> }
  | { kind: 'pending' | 'slow_down' | 'unreachable' };

async function poll(provider: Configuration, device_code: string): Promise<PollOutcome> {
  try {
    return {
      kind: 'tokens',
      response: await genericGrantRequest(provider, deviceCodeGrant, { device_code }),
    };
  } catch (error) {
    const reason = error instanceof ResponseBodyError ? error.error : undefined;
    if (reason === 'authorization_pending') return { kind: 'pending' };
    if (reason === 'slow_down') return { kind: 'slow_down' };
    if (reason === 'access_denied')
      throw new SessionError('access_denied', 'The login was denied.', { reason });
    if (reason === 'expired_token')
      throw new SessionError('expired_token', 'The code has expired.', { reason });
    const failure = toSessionError(error, 'The login failed');
    if (failure.code === 'provider_unreachable') return { kind: 'unreachable' };
    throw failure;
  }
}
