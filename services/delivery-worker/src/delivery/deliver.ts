import type { BodyNote, HttpResponse, Sender, SendRequest, SendResult } from '@tocsin/egress';
import { createSemaphore, type Logger, type Tracing } from '@tocsin/kit';
import type { WorkerLease } from '../lease/worker-lease.js';
import { noSlotDelayMs } from '../slots/slot-limits.js';
import type { Slot, Slots } from '../slots/slots.js';
import type { BodyMemory } from './body-memory.js';
import { changePause, type FailureCounter } from './circuit.js';
import { type ClaimedDelivery, needsQuarantine } from './claimed-delivery.js';
import { classify, isOwnFault, policyFor, type RetryPolicy } from './classify.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import type { Attempt, AttemptResponse, Deferral, Outcome } from './outcome.js';
import {
  type PreparedRequest,
  type PrepareResult,
  prepare,
  type RenderBody,
  type Unsent,
} from './prepare.js';
import type { Recorder } from './record.js';
import type { RenderBudget } from './render-budget.js';
import { traceDelivery } from './trace-delivery.js';
import { optionHeaders, type RequestOptions, type WebhooksReader } from './webhooks-reader.js';

export interface DeliverDeps {
  webhooks: Pick<WebhooksReader, 'get'>;
  render: RenderBody;
  renderBudget: Omit<RenderBudget, 'rendersLeft'>;
  bodyMemory: BodyMemory;
  slots: Slots;
  lease: Pick<WorkerLease, 'covers'>;
  sender: Pick<Sender, 'send'>;
  recorder: Recorder;
  failures: FailureCounter;
  policy: RetryPolicy;
  logger: Logger;
  /** Source of spans; undefined if tracing is off. */
  tracing?: Tracing | undefined;
  metrics: DeliveryMetrics;
  /** Called after each recorded attempt. */
  onAttempt: () => void;
  /** Returns the Unix time in milliseconds. */
  now: () => number;
  /** Returns a random number from 0 to 1. */
  random: () => number;
}

/**
 * Processes a claimed delivery: prepares, sends, classifies and records it, or defers it. Resolves after the commit of
 * the outcome or deferral. `slot`, if the delivery already has one, is released in any case, even after an error.
 */
export type Deliver = (claimed: ClaimedDelivery, slot?: Slot) => Promise<void>;

export function createDeliver(deps: DeliverDeps): Deliver {
  const quarantine = createSemaphore({ permits: 1 });
  return async (claimed, slot) => {
    try {
      if (!needsQuarantine(claimed)) return await deliver(claimed, slot, deps);
      const leaveQuarantine = quarantine.tryAcquire();
      if (leaveQuarantine === undefined) return await defer(claimed, quarantineDeferral(deps.random()), deps);
      await deliver(claimed, slot, deps).finally(leaveQuarantine);
    } finally {
      slot?.release();
      deps.bodyMemory.release(claimed);
    }
  };
}

async function deliver(claimed: ClaimedDelivery, slot: Slot | undefined, deps: DeliverDeps): Promise<void> {
  const prepared = await prepareDelivery(claimed, deps);
  if (prepared.kind !== 'request') slot?.release();
  if (prepared.kind === 'deferred') return defer(claimed, prepared, deps);
  if (prepared.kind === 'unsent') return recordWithoutAttempt(claimed, prepared, deps);

  const usedSlot = slot ?? (await deps.slots.acquireSoon(claimed));
  if (usedSlot === undefined) return defer(claimed, noSlotDeferral(claimed, deps), deps);
  if (!deps.lease.covers(claimed.claimedAtMs)) {
    usedSlot.release();
    return defer(claimed, leaseExpiredDeferral(deps.random()), deps);
  }
  const sent = await send(claimed, { request: prepared, slot: usedSlot }, deps);
  const outcome = classifyResult(claimed, sent, deps);
  await record({ claimed, sent, outcome }, deps);
}

async function prepareDelivery(claimed: ClaimedDelivery, deps: DeliverDeps): Promise<PrepareResult> {
  const { renderBudget, bodyMemory, metrics, policy, random } = deps;
  const { workspaceId, webhookId } = claimed;
  const version = claimed.webhook?.version;
  const webhook = version === undefined ? undefined : await deps.webhooks.get(webhookId, version);
  const mayRender = renderBudget.allows(workspaceId) || (await renderBudget.wait(workspaceId));
  const renderTimed: RenderBody = (source, delivery) => {
    const startedAtMs = performance.now();
    const rendered = deps.render(source, delivery);
    metrics.rendered((performance.now() - startedAtMs) / 1_000);
    return rendered;
  };
  const prepared = prepare({
    claimed,
    webhook,
    render: mayRender
      ? (source, delivery) => renderBudget.run(workspaceId, () => renderTimed(source, delivery))
      : undefined,
    policy,
    random: random(),
    now: deps.now,
  });
  if (prepared.kind !== 'request' || bodyMemory.reserve(claimed, prepared.body)) return prepared;
  return { ...noSlotDeferral(claimed, deps), reason: 'body_memory' };
}

interface Sent {
  request: PreparedRequest;
  startedAt: Date;
  result: SendResult;
}

async function send(
  { webhookId, deliveryId }: ClaimedDelivery,
  { request, slot }: { request: PreparedRequest; slot: Slot },
  { sender, slots, now }: DeliverDeps,
): Promise<Sent> {
  const startedAt = new Date(now());
  try {
    const { options } = request;
    const result = await sender.send(
      options === undefined
        ? request
        : withOptions(request, options, { deliveryId, atMs: startedAt.getTime() }),
    );
    if (!isOwnFault(result))
      slots.observe(webhookId, result.kind === 'response' ? result.durationMs : undefined);
    return { request, startedAt, result };
  } finally {
    slot.release();
  }
}

function withOptions(
  { url, headers, body }: PreparedRequest,
  options: RequestOptions,
  attempt: { deliveryId: string; atMs: number },
): SendRequest {
  return {
    url,
    headers,
    body,
    rawHeaders: optionHeaders(options, { ...attempt, body }),
    timeoutMs: options.timeoutMs,
  };
}

function classifyResult(
  { step, webhook }: ClaimedDelivery,
  { result, request }: Sent,
  { policy, random }: DeliverDeps,
): Outcome {
  const retryOnTimeout = webhook?.retryOnTimeout !== false;
  return classify({
    result,
    step,
    retryOnTimeout,
    policy: policyFor(policy, request.options),
    random: random(),
  });
}

interface Completed {
  claimed: ClaimedDelivery;
  sent: Sent;
  outcome: Outcome;
}

async function record(completed: Completed, deps: DeliverDeps): Promise<void> {
  const { claimed, outcome, sent } = completed;
  const { recorder, failures, random, metrics, logger, tracing } = deps;
  const attempt = toAttempt(completed);
  // The pause is committed before the outcome, so that later claims of the webhook's deliveries find the pause.
  const change = changePause({ claimed, result: sent.result, failures, random: random() });
  if (change === 'resume') await recorder.resume(claimed.webhookId);
  else if (change !== undefined) await recorder.pause(change);
  await recorder.record({ claimed, outcome, attempt });
  deps.onAttempt();
  metrics.attempted({ claimed, outcome, attempt, nowMs: deps.now() });
  metrics.recorded(outcome);
  logger[outcome.kind === 'succeeded' ? 'success' : 'info'](
    logFields(claimed, outcome, attempt),
    'delivery.attempted',
  );
  if (tracing !== undefined) traceDelivery(claimed, { outcome, attempt }, tracing);
}

function toAttempt({ claimed, sent, outcome }: Completed): Attempt {
  const { request, startedAt, result } = sent;
  return {
    trigger: claimed.manual ? 'manual' : 'scheduled',
    startedAt,
    durationMs: result.durationMs,
    destination: request.destination,
    requestBody: request.body,
    response: result.kind === 'response' ? toAttemptResponse(result, request) : undefined,
    failure: outcome.kind === 'succeeded' ? undefined : outcome.failure,
    note:
      result.kind === 'response' && result.bodyNote !== undefined ? bodyNotes[result.bodyNote] : undefined,
  };
}

/** Maximum length of a stored `Location` header in characters, equal to the maximum length of a webhook's url. */
const maxLocationCharacters = 2_048;
/** Maximum length of a stored `Retry-After` header in characters. An HTTP date has 29 characters. */
const maxRetryAfterCharacters = 128;

function toAttemptResponse(result: HttpResponse, { redact }: PreparedRequest): AttemptResponse {
  const { statusCode, body, truncated } = result;
  // Secrets are redacted before the text is cut, because the remaining part of a cut secret is not recognized.
  const shorten = (text: string | undefined, length: number) =>
    text && redact(text, { isCut: false }).slice(0, length).toWellFormed();
  return {
    statusCode,
    body: redact(body, { isCut: truncated }),
    truncated,
    location: shorten(result.location, maxLocationCharacters),
    retryAfter: shorten(result.retryAfter, maxRetryAfterCharacters),
  };
}

const bodyNotes: Record<BodyNote, string> = {
  cut: 'The connection ended before the response body did.',
  slow: 'The response body did not arrive in time.',
  broken: 'The response body is not valid HTTP.',
  overlong: 'The response contained far more than its body and was not read to its end.',
  encoded: 'The response body is compressed and kept as it came.',
};

async function recordWithoutAttempt(
  claimed: ClaimedDelivery,
  { outcome, rendered }: Unsent,
  { recorder, logger, metrics, tracing }: DeliverDeps,
): Promise<void> {
  await recorder.record({ claimed, outcome, attempt: undefined, rendered });
  if (tracing !== undefined) traceDelivery(claimed, { outcome }, tracing);
  metrics.recorded(outcome);
  logger.info(logFields(claimed, outcome), 'delivery.recorded_without_attempt');
}

function defer(
  claimed: ClaimedDelivery,
  deferral: Deferral,
  { recorder, metrics, tracing }: DeliverDeps,
): Promise<void> {
  metrics.deferred(deferral.reason);
  if (tracing !== undefined) traceDelivery(claimed, { outcome: deferral }, tracing);
  return recorder.defer(claimed, deferral);
}

function noSlotDeferral({ webhookId }: ClaimedDelivery, { slots, random }: DeliverDeps): Deferral {
  const afterMs = noSlotDelayMs(slots.responsivenessOf(webhookId), random());
  return { kind: 'deferred', afterMs, reason: 'no_slot' };
}

const maxLeaseWaitMs = 1_000;

/**
 * Returns the deferral of a delivery whose claim may be lost. The lease of this worker expired after the claim, so
 * another worker may have claimed the delivery.
 */
function leaseExpiredDeferral(random: number): Deferral {
  return { kind: 'deferred', afterMs: random * maxLeaseWaitMs, reason: 'lease_expired' };
}

const maxQuarantineWaitMs = 5_000;

/**
 * Returns the deferral of a poison delivery that must wait because this worker is sending another one in quarantine.
 * The delay is random, so that the waiting deliveries become due at different times.
 */
function quarantineDeferral(random: number): Deferral {
  return { kind: 'deferred', afterMs: random * maxQuarantineWaitMs, reason: 'quarantine' };
}

/**
 * Returns the fields of a log line about the end of a claim. One object literal creates them, because object spreading
 * takes longer than writing the log line.
 */
function logFields(claimed: ClaimedDelivery, outcome: Outcome, attempt?: Attempt) {
  return {
    request_id: claimed.requestId ?? undefined,
    delivery_id: claimed.deliveryId,
    run: claimed.run,
    claim: claimed.claim,
    webhook_id: claimed.webhookId,
    workspace_id: claimed.workspaceId,
    alert_id: claimed.facts.alert_id,
    outcome: outcome.kind,
    error_code: 'failure' in outcome ? outcome.failure.code : undefined,
    step: attempt && claimed.step,
    trigger: attempt?.trigger,
    status_code: attempt?.response?.statusCode,
    duration_ms: attempt && Math.round(attempt.durationMs),
  };
}
