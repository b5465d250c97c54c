import type { DeliveryDue } from '@tocsin/contracts';
import type { Sender, SendRequest, SendResult } from '@tocsin/egress';
import type { Slot, Slots } from '../slots/slots.js';
import { type AttemptInput, toAttempt } from './attempt.js';
import type { Claim } from './claim.js';
import { type Claimed, needsQuarantine } from './claimed.js';
import { classify, isDestinationTrouble } from './classify.js';
import { type HoldDeps, holdOrRelease } from './hold-or-release.js';
import { createInHand } from './in-hand.js';
import { lineOf } from './log-line.js';
import type { Prepared } from './prepare.js';
import { noSlot, type PrepareDeps, prepareInTurn } from './prepare-in-turn.js';
import type { Recorder } from './record.js';
import type { Deferral, Verdict } from './verdict.js';

export interface DeliverDeps extends PrepareDeps, HoldDeps {
  claim: Claim;
  slots: Slots;
  sender: Sender;
  recorder: Recorder;
  /** Told once for each attempt. */
  onAttempt: () => void;
  now: () => number;
}

export interface Deliver {
  /**
   * Claims a delivery and carries it out. Resolves when its outcome is committed and its message may be acknowledged; a
   * message that is not ours to act on resolves at once, and so does one whose delivery is in hand: what began that one
   * looks at it afterwards. `onSent` is called when its request has ended.
   */
  due(due: DeliveryDue, onSent?: () => void): Promise<void>;
  /** Carries out one that has been claimed and has its slot. */
  claimed(claimed: Claimed, slot: Slot): Promise<void>;
  /** Deliveries that have been begun and whose outcome is not committed yet. */
  inHand(): number;
}

/** One delivery: claim, prepare, send, classify, record. */
export function createDeliver(deps: DeliverDeps): Deliver {
  const inHand = createInHand();
  let isQuarantineTaken = false;
  const claimAndCarryOut = async (due: DeliveryDue, onSent?: () => void) => {
    const claimed = await deps.claim(due);
    if (claimed === undefined) return;
    if (!needsQuarantine(claimed)) return carryOut({ claimed, onSent }, deps);
    if (isQuarantineTaken) return defer(claimed, quarantineTaken(deps.random()), deps);
    isQuarantineTaken = true;
    try {
      await carryOut({ claimed, onSent }, deps);
    } finally {
      isQuarantineTaken = false;
    }
  };
  const takeUp = async (due: DeliveryDue, onSent?: () => void): Promise<void> => {
    if (inHand.has(due.deliveryId)) return inHand.note(due);
    const lookAgain = (noted: DeliveryDue) => takeUp(noted, onSent);
    await inHand.keep(due.deliveryId, () => claimAndCarryOut(due, onSent), lookAgain);
  };
  return {
    due: takeUp,
    async claimed(claimed, slot) {
      if (inHand.has(claimed.deliveryId)) return slot.giveBack();
      await inHand.keep(claimed.deliveryId, () => carryOut({ claimed, slot }, deps), takeUp);
    },
    inHand: inHand.size,
  };
}

interface ToCarryOut {
  claimed: Claimed;
  /** Where it has been taken. */
  slot?: Slot;
  onSent?: (() => void) | undefined;
}

async function carryOut({ claimed, slot: reserved, onSent }: ToCarryOut, deps: DeliverDeps): Promise<void> {
  let slot = reserved;
  const takeSlot = async () => {
    slot ??= await deps.slots.takeSoon(claimed);
    return slot;
  };
  try {
    const prepared = await prepareInTurn(claimed, takeSlot, deps);
    if (!keepsSlot(prepared)) slot?.giveBack();
    if (prepared.kind === 'deferred') return await defer(claimed, prepared, deps);
    if (prepared.kind === 'verdict') return await conclude(claimed, prepared.verdict, deps);

    const taken = await takeSlot();
    if (taken === undefined) return await defer(claimed, noSlot(claimed, deps), deps);
    const { startedAt, result } = await send(prepared, taken, deps);
    onSent?.();
    const verdict = judge(claimed, result, deps);
    await record({ claimed, prepared, startedAt, result, verdict }, deps);
  } finally {
    slot?.giveBack();
  }
}

/**
 * A dear one for which there is no room in the line has its slot until it has been put back: else the next of its webhook
 * would be woken only to be put back too.
 */
function keepsSlot(prepared: Prepared): boolean {
  return prepared.kind === 'request' || (prepared.kind === 'deferred' && prepared.reason === 'no_slot');
}

const maxQuarantineWaitMs = 5_000;

/** The delivery waits for up to five seconds, at random, so that many of them do not all return at once. */
function quarantineTaken(random: number): Deferral {
  return { kind: 'deferred', afterMs: random * maxQuarantineWaitMs, reason: 'quarantine' };
}

function defer(claimed: Claimed, deferral: Deferral, { recorder, metrics }: DeliverDeps): Promise<void> {
  metrics.deferred(deferral.reason);
  return recorder.defer(claimed, deferral);
}

async function conclude(
  claimed: Claimed,
  verdict: Verdict,
  { recorder, logger, metrics }: DeliverDeps,
): Promise<void> {
  await recorder.record({ claimed, verdict, attempt: undefined });
  metrics.ended(verdict);
  logger.info(lineOf(claimed, verdict), 'delivery.concluded');
}

async function send(request: SendRequest, slot: Slot, { sender, now }: DeliverDeps) {
  const startedAt = new Date(now());
  const result = await sender.send(request);
  slot.release(isDestinationTrouble(result) ? undefined : result.durationMs);
  return { startedAt, result };
}

function judge({ step, webhook }: Claimed, result: SendResult, { policy, random }: DeliverDeps): Verdict {
  const retryOnTimeout = webhook?.retryOnTimeout !== false;
  return classify({ result, step, retryOnTimeout, policy, random: random() });
}

async function record(made: AttemptInput, deps: DeliverDeps): Promise<void> {
  const { claimed, result, verdict } = made;
  const attempt = toAttempt(made);
  await holdOrRelease(claimed, result, deps);
  await deps.recorder.record({ claimed, verdict, attempt });
  deps.onAttempt();
  deps.metrics.attempted({ claimed, verdict, attempt, nowMs: deps.now() });
  deps.metrics.ended(verdict);
  deps.logger.info(lineOf(claimed, verdict, attempt), 'delivery.attempted');
}
