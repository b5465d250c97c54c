import { type Claimed, maxClaimsWithoutOutcome } from './claimed.js';
import type { RenderBody } from './render-body.js';
import { nextTry, type RetryPolicy } from './retry-policy.js';
import type { Deferral, Failure, Verdict } from './verdict.js';
import type { Destination, Unopened } from './webhooks-reader.js';

/** A request that is ready to go out, or why there is none. */
export type Prepared =
  | { kind: 'request'; url: string; headers: Record<string, string[]>; body: string }
  | { kind: 'verdict'; verdict: Verdict }
  | Deferral;

export interface PrepareInput {
  claimed: Claimed;
  destination: Destination | Unopened | undefined;
  render: RenderBody;
  policy: RetryPolicy;
  /** 0 to 1. */
  random: number;
  nowMs: number;
}

/** A request may take 10 s and its record a little; a claim with less time left might be another's when it is sent. */
export const minLeaseMs = 12_000;

/** Decides whether a claimed delivery is sent now, and with what: everything that can be known without the network. */
export function prepare(input: PrepareInput): Prepared {
  const { claimed, destination, policy, nowMs } = input;
  if (claimed.claimsWithoutOutcome > maxClaimsWithoutOutcome)
    return failed('crashes_worker', `Claimed ${maxClaimsWithoutOutcome} times without an outcome.`);
  if (claimed.webhook === undefined || destination === undefined)
    return failed('webhook_deleted', 'The webhook has been deleted, or never was in this workspace.');
  if (!claimed.webhook.enabled) {
    const failure = { code: 'webhook_disabled', error: 'The webhook is disabled.' } as const;
    return { kind: 'verdict', verdict: { kind: 'skipped', failure } };
  }
  const isUnopened = 'error' in destination;
  if (claimed.ageMs > policy.maxAgeMs)
    return failed('expired', `The delivery was not made in time.${isUnopened ? ` ${unopened}` : ''}`);
  // After what ends a delivery: one whose lease is always too short expires all the same.
  if (claimed.leaseEndsAtMs - nowMs < minLeaseMs)
    return { kind: 'deferred', afterMs: 0, reason: 'lease_short' };
  if (claimed.hold !== undefined && claimed.hold.remainingMs > 0)
    return { kind: 'deferred', afterMs: claimed.hold.remainingMs, reason: 'held' };
  if (isUnopened) return deferUnopened(input);
  return prepareBody(input, destination);
}

const unopened =
  'The webhook’s secrets cannot be opened: the key that they are encrypted with is not set, or they are damaged.';
const firstUnopenedMs = 3_500;
const maxUnopenedMs = 60_000;

/** Another worker may have the key, soon; a webhook that nobody can open costs the less, the longer that lasts. */
function deferUnopened({ claimed, random }: PrepareInput): Deferral {
  const waitMs = Math.min(maxUnopenedMs, Math.max(firstUnopenedMs, claimed.ageMs / 10));
  return {
    kind: 'deferred',
    // Two to five seconds at first.
    afterMs: waitMs * (0.6 + 0.8 * random),
    reason: 'unopened',
    failure: { code: 'internal_error', error: unopened },
  };
}

/** Our fault, and it may be mended. */
function tryAgain({ claimed, policy, random }: PrepareInput, failure: Failure): Prepared {
  return { kind: 'verdict', verdict: nextTry({ step: claimed.step, failure, policy, random }) };
}

function prepareBody(input: PrepareInput, { url, headers, body }: Destination): Prepared {
  const { claimed, render } = input;
  const rendered = render(body, claimed.facts);
  if (rendered.ok) return { kind: 'request', url, headers, body: rendered.output };
  const failure = { code: rendered.code, error: rendered.error };
  // An overrun of the clock says something about this machine, not about the template: it is our fault.
  if (failure.code === 'internal_error') return tryAgain(input, failure);
  return { kind: 'verdict', verdict: { kind: 'failed', failure } };
}

function failed(code: 'crashes_worker' | 'webhook_deleted' | 'expired', error: string): Prepared {
  return { kind: 'verdict', verdict: { kind: 'failed', failure: { code, error } } };
}
