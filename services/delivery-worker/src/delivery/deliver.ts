import type { DeliveryDue } from '@tocsin/contracts';
import type { Sender } from '@tocsin/egress';
import type { Logger, Turnstile } from '@tocsin/kit';
import type { WorkerMetrics } from '../metrics.js';
import type { Slot, Slots } from '../slots/slots.js';
import { toAttempt } from './attempt.js';
import type { Circuits } from './circuit.js';
import type { Claim } from './claim.js';
import { type Claimed, isSuspected } from './claimed.js';
import { classify, isDestinationTrouble } from './classify.js';
import type { DearRenders } from './dear-renders.js';
import { holdOrRelease } from './hold-or-release.js';
import { lineOf } from './log-line.js';
import { type Prepared, prepare } from './prepare.js';
import type { Recorder } from './record.js';
import type { RenderBody } from './render-body.js';
import type { RetryPolicy } from './retry-policy.js';
import type { SuspectSeat } from './suspect-seat.js';
import type { Attempt, Deferral, Verdict } from './verdict.js';
import type { WebhookCache } from './webhook-cache.js';
import type { Destination, Unopened } from './webhooks-reader.js';

export interface DeliverDeps {
  claim: Claim;
  /** Taken by the claim of one that is suspected. */
  suspects: Pick<SuspectSeat, 'giveBack'>;
  webhooks: WebhookCache;
  render: RenderBody;
  /** For webhooks whose bodies take long to render. */
  dearRenders: DearRenders;
  slots: Slots;
  /** For webhooks that have not shown that they answer: where destinations hang, their deliveries come due by the hundred together. */
  unhurried: Turnstile;
  sender: Sender;
  recorder: Recorder;
  circuits: Circuits;
  policy: RetryPolicy;
  logger: Logger;
  metrics: WorkerMetrics;
  /** Told once for each attempt. */
  onAttempt: () => void;
  now: () => number;
  random: () => number;
}

export interface Deliver {
  /**
   * Claims a delivery and carries it out. Resolves when its outcome is committed and its message may be acknowledged; a
   * message that is not ours to act on resolves at once, and so does one whose delivery is in hand: what began that one
   * looks at it afterwards. `sent` is called when its request has ended.
   */
  due(due: DeliveryDue, sent: () => void): Promise<void>;
  /** Carries out one that has been claimed and has its slot. */
  claimed(claimed: Claimed, slot: Slot): Promise<void>;
  /** Deliveries that have been begun and whose outcome is not committed yet. */
  inHand(): number;
}

/** One delivery: claim, prepare, send, classify, record. */
export function createDeliver(deps: DeliverDeps): Deliver {
  // What has been sent and cannot be recorded may lose its lease and be queued again. Claimed here anew it would be sent
  // again, as often as its lease runs out, and its outcome would be a late owner's. So a message that comes meanwhile is
  // only noted: it may be the one that tells of the row as this work leaves it, and is looked at when that has ended. One
  // is enough, for it claims the row as it is by then.
  const inHand = new Map<string, DeliveryDue | undefined>();
  const note = (due: DeliveryDue) => {
    const noted = inHand.get(due.deliveryId);
    if (noted === undefined || noted.generation < due.generation) inHand.set(due.deliveryId, due);
  };
  /** What was noted meanwhile is taken up also where the work fails: its message has been acknowledged. */
  const keep = async (deliveryId: string, work: () => Promise<void>, sent?: () => void) => {
    inHand.set(deliveryId, undefined);
    try {
      await work();
    } finally {
      const noted = inHand.get(deliveryId);
      inHand.delete(deliveryId);
      if (noted !== undefined) await takeUp(noted, sent);
    }
  };
  const claimAndCarryOut = async (due: DeliveryDue, sent: (() => void) | undefined) => {
    const claimed = await deps.claim(due);
    if (claimed === undefined) return;
    try {
      await carryOut({ claimed, sent }, deps);
    } finally {
      if (isSuspected(claimed)) deps.suspects.giveBack();
    }
  };
  const takeUp = async (due: DeliveryDue, sent?: () => void): Promise<void> => {
    if (inHand.has(due.deliveryId)) return note(due);
    await keep(due.deliveryId, () => claimAndCarryOut(due, sent), sent);
  };
  return {
    due: takeUp,
    async claimed(claimed, slot) {
      if (inHand.has(claimed.deliveryId)) return slot.giveBack();
      await keep(claimed.deliveryId, () => carryOut({ claimed, slot }, deps));
    },
    inHand: () => inHand.size,
  };
}

interface InHand {
  claimed: Claimed;
  /** Where it has been taken. */
  slot?: Slot;
  sent?: (() => void) | undefined;
}

async function carryOut({ claimed, sent, ...reserved }: InHand, deps: DeliverDeps): Promise<void> {
  const { webhooks, slots } = deps;
  let { slot } = reserved;
  try {
    if (!slots.isProven(claimed.webhookId)) await deps.unhurried.turn();
    const destination = claimed.webhook && (await webhooks.get(claimed.webhookId, claimed.webhook.version));
    if (destination !== undefined && 'error' in destination)
      deps.logger.error({ err: destination.error, webhook_id: claimed.webhookId }, 'webhook.unopened');
    const isDear = slots.isDear(claimed.webhookId);
    // A dear one has its slot first, so that few of a webhook wait for their turn.
    if (isDear && deps.dearRenders.hasRoom()) slot ??= await slots.takeSoon(claimed);
    if (isDear && (slot === undefined || !deps.dearRenders.hasRoom()))
      return await deferForSlot(claimed, deps);
    const prepareNow = () => prepareTimed(claimed, destination, deps);
    const prepared = isDear ? await deps.dearRenders.turn(claimed.webhookId, prepareNow) : prepareNow();
    if (prepared.kind !== 'request') slot?.giveBack();
    if (prepared.kind === 'deferred') return await defer(claimed, prepared, deps);
    if (prepared.kind === 'verdict') return await conclude(claimed, prepared.verdict, deps);

    slot ??= await slots.takeSoon(claimed);
    if (slot === undefined) return await deferForSlot(claimed, deps);
    await send({ claimed, prepared, slot, sent }, deps);
  } finally {
    slot?.giveBack();
  }
}

/** Whether the lease is long enough is looked at here, after all waiting for a turn. */
function prepareTimed(
  claimed: Claimed,
  destination: Destination | Unopened | undefined,
  deps: DeliverDeps,
): Prepared {
  const { slots, metrics, policy, random } = deps;
  const render: RenderBody = (source, facts) => {
    const startedAtMs = performance.now();
    const rendered = deps.render(source, facts);
    const tookMs = performance.now() - startedAtMs;
    slots.rendered(claimed.webhookId, tookMs);
    metrics.rendered(tookMs / 1_000);
    return rendered;
  };
  return prepare({ claimed, destination, render, policy, random: random(), nowMs: performance.now() });
}

interface Sendable {
  claimed: Claimed;
  prepared: Extract<Prepared, { kind: 'request' }>;
  slot: Slot;
  sent: (() => void) | undefined;
}

async function send({ claimed, prepared, slot, sent }: Sendable, deps: DeliverDeps): Promise<void> {
  const { recorder, policy, now, random } = deps;
  const startedAt = new Date(now());
  const result = await deps.sender.send(prepared);
  slot.release(isDestinationTrouble(result) ? undefined : result.durationMs);
  sent?.();

  const retryOnTimeout = claimed.webhook?.retryOnTimeout !== false;
  const verdict = classify({ result, step: claimed.step, retryOnTimeout, policy, random: random() });
  const attempt = toAttempt({ claimed, prepared, result, startedAt, verdict });
  await holdOrRelease(claimed, result, deps);
  await recorder.record({ claimed, verdict, attempt });
  logAttempt({ claimed, verdict, attempt }, deps);
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

/** Spread out, so that they do not all come back at once. */
function deferForSlot(claimed: Claimed, deps: DeliverDeps): Promise<void> {
  const afterMs = deps.slots.pauseMs(claimed.webhookId) * (2 / 3 + (2 / 3) * deps.random());
  return defer(claimed, { kind: 'deferred', afterMs, reason: 'no_slot' }, deps);
}

function logAttempt(
  { claimed, verdict, attempt }: { claimed: Claimed; verdict: Verdict; attempt: Attempt },
  deps: DeliverDeps,
) {
  deps.onAttempt();
  deps.metrics.attempted({ claimed, verdict, attempt, nowMs: deps.now() });
  deps.metrics.ended(verdict);
  deps.logger.info(lineOf(claimed, verdict, attempt), 'delivery.attempted');
}
