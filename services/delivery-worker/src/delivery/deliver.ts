import type { DeliveryDue } from '@tocsin/contracts';
import type { Sender, SendRequest, SendResult } from '@tocsin/egress';
import type { Logger, TickThrottle } from '@tocsin/kit';
import type { AlertFacts } from '@tocsin/template';
import { noSlotDelayMs } from '../slots/slot-limits.js';
import type { Slot, Slots } from '../slots/slots.js';
import { type AttemptInput, toAttempt } from './attempt.js';
import type { Claim } from './claim.js';
import { type Claimed, needsQuarantine } from './claimed.js';
import { classify, isDestinationTrouble } from './classify.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import { type HoldDeps, holdOrRelease } from './hold-or-release.js';
import { createInHand } from './in-hand.js';
import { lineOf } from './log-line.js';
import { type Prepared, prepare, type RenderBody } from './prepare.js';
import type { Recorder } from './record.js';
import type { RenderBudget } from './render-budget.js';
import type { RetryPolicy } from './retry-policy.js';
import type { Deferral, Verdict } from './verdict.js';
import type { WebhookCache } from './webhook-cache.js';
import type { Destination, Unopened } from './webhooks-reader.js';

export interface DeliverDeps extends HoldDeps {
  claim: Claim;
  webhooks: WebhookCache;
  render: RenderBody;
  renderBudget: RenderBudget;
  /** For webhooks in state `unknown`: hundreds of their deliveries can become due in one tick of the event loop. */
  tickThrottle: TickThrottle;
  slots: Slots;
  sender: Sender;
  recorder: Recorder;
  policy: RetryPolicy;
  logger: Logger;
  metrics: DeliveryMetrics;
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
      if (inHand.has(claimed.deliveryId)) return slot.release();
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
  try {
    const prepared = await prepareClaimed(claimed, deps);
    if (prepared.kind !== 'request') slot?.release();
    if (prepared.kind === 'deferred') return await defer(claimed, prepared, deps);
    if (prepared.kind === 'verdict') return await conclude(claimed, prepared.verdict, deps);

    slot ??= await deps.slots.acquireSoon(claimed);
    if (slot === undefined) return await defer(claimed, noSlot(claimed, deps), deps);
    const { startedAt, result } = await send(claimed, prepared, deps);
    slot.release();
    onSent?.();
    const verdict = judge(claimed, result, deps);
    await record({ claimed, prepared, startedAt, result, verdict }, deps);
  } finally {
    slot?.release();
  }
}

async function prepareClaimed(claimed: Claimed, deps: DeliverDeps): Promise<Prepared> {
  const { slots, tickThrottle, renderBudget, metrics, policy, random } = deps;
  const { workspaceId, webhookId } = claimed;
  if (slots.responsivenessOf(webhookId) === 'unknown') await tickThrottle.wait();
  const destination = await readWebhook(claimed, deps);
  const renderTimed = (source: string, facts: AlertFacts) => {
    const startedAtMs = performance.now();
    const rendered = deps.render(source, facts);
    metrics.rendered((performance.now() - startedAtMs) / 1_000);
    return rendered;
  };
  return prepare({
    claimed,
    destination,
    render: (source, facts) => renderBudget.run(workspaceId, () => renderTimed(source, facts)),
    policy,
    random: random(),
    nowMs: performance.now(),
  });
}

async function readWebhook(
  { webhookId, webhook }: Claimed,
  { webhooks, logger }: DeliverDeps,
): Promise<Destination | Unopened | undefined> {
  const found = webhook && (await webhooks.get(webhookId, webhook.version));
  if (found !== undefined && 'error' in found)
    logger.error({ err: found.error, webhook_id: webhookId }, 'webhook.unopened');
  return found;
}

function noSlot({ webhookId }: Claimed, { slots, random }: DeliverDeps): Deferral {
  const afterMs = noSlotDelayMs(slots.responsivenessOf(webhookId), random());
  return { kind: 'deferred', afterMs, reason: 'no_slot' };
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

async function send({ webhookId }: Claimed, request: SendRequest, { sender, slots, now }: DeliverDeps) {
  const startedAt = new Date(now());
  const result = await sender.send(request);
  slots.observe(webhookId, isDestinationTrouble(result) ? undefined : result.durationMs);
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
