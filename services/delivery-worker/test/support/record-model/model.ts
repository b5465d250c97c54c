import type { RedeliverOutcome } from '@tocsin/deliveries';
import type { ClaimedDelivery } from '../../../src/delivery/claimed-delivery.js';
import { type Deferral, waitingReasonOf } from '../../../src/delivery/outcome.js';
import type { OutcomeRecord } from '../../../src/delivery/record-repository.js';

/** State of a delivery in the database. Times are compared only as set or not set. */
export interface DeliveryState {
  status: string;
  run: number;
  claims: number;
  statusCode: number | null;
  errorCode: string | null;
  destination: string;
  rendered: string | null;
  hasSucceeded: boolean;
  hasFailed: boolean;
  open: OpenState | null;
  attempts: AttemptState[];
}

interface OpenState {
  run: number;
  state: string;
  claim: number;
  /** Index of the worker that has claimed the delivery; null if unclaimed. */
  claimedBy: number | null;
  claimsWithoutOutcome: number;
  step: number;
  manual: boolean;
  waitingReason: string;
}

interface AttemptState {
  number: number;
  claim: number;
  trigger: string;
  statusCode: number | null;
  requestBody: string;
  /** Body of the response; empty if there was no response. */
  responseBody: string;
}

/**
 * A claim of a worker. `decision` is the outcome or deferral of the claim. It is missing until the worker first records
 * one, and does not change after that.
 */
export interface HeldClaim {
  claimed: ClaimedDelivery;
  decision?: { record: OutcomeRecord } | { deferral: Deferral };
}

export interface ModelDelivery {
  state: DeliveryState;
  held: HeldClaim[];
}

export interface Model {
  deliveries: ModelDelivery[];
  /** Number of occurrences of each situation in all sequences of steps, by its name, for example `lost message`. */
  seen: Map<string, number>;
}

export function emptyModel(count: number, seen: Map<string, number>): Model {
  return { deliveries: Array.from({ length: count }, () => ({ state: newDelivery(), held: [] })), seen };
}

function newDelivery(): DeliveryState {
  return {
    status: 'open',
    run: 1,
    claims: 0,
    statusCode: null,
    errorCode: null,
    destination: 'http://127.0.0.1:9',
    rendered: null,
    hasSucceeded: false,
    hasFailed: false,
    open: openRow({ run: 1, claim: 0, manual: false }),
    attempts: [],
  };
}

function openRow({ run, claim, manual }: Pick<OpenState, 'run' | 'claim' | 'manual'>): OpenState {
  const fresh = { claimedBy: null, claimsWithoutOutcome: 0, step: 0, waitingReason: 'backlog' };
  return { run, state: 'waiting', claim, manual, ...fresh };
}

/** Returns true if the delivery is open and the claim is its latest one. Only then does an outcome change the state. */
function ownsRow({ open }: DeliveryState, { run, claim }: ClaimedDelivery): boolean {
  return open !== null && open.run === run && open.claim === claim;
}

export const isWaiting = ({ open }: DeliveryState): boolean => open?.state === 'waiting';
export const isUnclaimed = ({ open }: DeliveryState): boolean =>
  open?.state === 'queued' && open.claimedBy === null;

export function queue({ open }: DeliveryState): void {
  if (open?.state === 'waiting') open.state = 'queued';
}

/**
 * Claims a delivery in the model. Returns false if the message names another run, or if the row is not queued or is
 * already claimed. A repeated claim keeps its number and is not counted again as a claim without an outcome.
 */
export function claim(
  { open }: DeliveryState,
  { worker, run, repetition }: { worker: number; run: number; repetition: boolean },
): boolean {
  if (open === null || open.run !== run || open.state !== 'queued') return false;
  if (!repetition && open.claimedBy !== null) return false;
  open.claimedBy = worker;
  if (!repetition) {
    open.claim += 1;
    open.claimsWithoutOutcome += 1;
  }
  return true;
}

/** Returns a queued row to the state `waiting`, because its message or its claim was lost. */
export function release({ open }: DeliveryState): void {
  if (open === null) return;
  Object.assign(open, {
    state: 'waiting',
    waitingReason: open.claimedBy === null ? 'backlog' : 'crashed',
    claimedBy: null,
  });
}

export function record(
  { state }: ModelDelivery,
  { claimed, outcome, attempt, rendered }: OutcomeRecord,
): string {
  const isOurs = ownsRow(state, claimed);
  const isNew = attempt !== undefined && !state.attempts.some(({ claim }) => claim === claimed.claim);
  const situation = situationOf(state, claimed, isNew);
  if (attempt !== undefined && isNew) {
    state.destination = attempt.destination;
    state.attempts.push({
      number: state.attempts.length + 1,
      claim: claimed.claim,
      trigger: attempt.trigger,
      statusCode: attempt.response?.statusCode ?? null,
      requestBody: attempt.requestBody,
      responseBody: attempt.response?.body ?? '',
    });
  }
  if (!isOurs) return situation;
  state.status = outcome.kind === 'retry' ? 'open' : outcome.kind;
  state.claims = claimed.claim;
  state.errorCode = outcome.kind === 'succeeded' ? null : outcome.failure.code;
  state.rendered = attempt === undefined ? (rendered ?? null) : null;
  if (attempt !== undefined) state.statusCode = attempt.response?.statusCode ?? null;
  state.hasSucceeded ||= outcome.kind === 'succeeded';
  state.hasFailed = outcome.kind === 'failed';
  if (outcome.kind === 'retry')
    Object.assign(state.open!, {
      state: 'waiting',
      waitingReason: 'retry',
      claimedBy: null,
      claimsWithoutOutcome: 0,
      manual: false,
      step: outcome.step,
    });
  else state.open = null;
  return situation;
}

function situationOf(state: DeliveryState, claimed: ClaimedDelivery, isNew: boolean): string {
  if (ownsRow(state, claimed)) {
    if (!isNew && state.attempts.some(({ claim }) => claim === claimed.claim)) return 'repeated outcome';
    return state.open?.claimedBy === null ? 'late outcome of a released claim' : 'outcome';
  }
  if (!isNew) return 'repeated outcome';
  return state.run === claimed.run ? 'late outcome of a replaced claim' : 'late outcome of an earlier run';
}

export function defer({ state }: ModelDelivery, claimed: ClaimedDelivery, deferral: Deferral): string {
  if (!ownsRow(state, claimed)) return 'late deferral';
  const { open } = state;
  if (deferral.failure !== undefined) state.errorCode = deferral.failure.code;
  Object.assign(open!, {
    state: 'waiting',
    waitingReason: waitingReasonOf[deferral.reason],
    claimedBy: null,
    claimsWithoutOutcome: Math.max(0, open!.claimsWithoutOutcome - 1),
  });
  return 'deferral';
}

export function redeliver({ state }: ModelDelivery): RedeliverOutcome {
  const { open } = state;
  if (open === null) {
    state.run += 1;
    state.status = 'open';
    state.hasFailed = false;
    state.open = openRow({ run: state.run, claim: state.claims, manual: true });
    return 'reopened';
  }
  if (open.state === 'queued') return open.claimedBy === null ? 'queued' : 'sending';
  open.manual = true;
  return 'brought_forward';
}
