import type { Tracing } from '@tocsin/kit';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { Attempt, Deferral, Outcome } from './outcome.js';

interface Traced {
  outcome: Outcome | Deferral;
  /** The attempt; undefined if no request was sent. */
  attempt?: Attempt;
}

/**
 * Adds spans to the alert's trace when a claim has ended: one for the time from the claim to its end and, if a request
 * was sent, a child span for the request. The trace context is not sent to the destination, which gets only the
 * configured headers.
 */
export function traceDelivery(
  claimed: ClaimedDelivery,
  { outcome, attempt }: Traced,
  tracing: Tracing,
): void {
  const failure = 'failure' in outcome ? outcome.failure : undefined;
  const delivery = tracing.startSpan('deliver', {
    kind: 'consumer',
    parent: claimed.traceparent,
    startedAtMs: performance.timeOrigin + claimed.claimedAtMs,
    attributes: {
      'tocsin.delivery_id': claimed.deliveryId,
      'tocsin.run': claimed.run,
      'tocsin.claim': claimed.claim,
      'tocsin.alert_id': claimed.facts.alert_id,
      'tocsin.webhook_id': claimed.webhookId,
      'tocsin.workspace_id': claimed.workspaceId,
      'tocsin.outcome': outcome.kind,
      'tocsin.deferred': outcome.kind === 'deferred' ? outcome.reason : undefined,
    },
  });
  if (attempt !== undefined) traceAttempt(claimed, attempt, { tracing, parent: delivery.traceparent });
  delivery.end({ error: failure?.error });
}

function traceAttempt(
  { step }: ClaimedDelivery,
  { startedAt, durationMs, destination, response, failure, trigger }: Attempt,
  { tracing, parent }: { tracing: Tracing; parent: string },
): void {
  const startedAtMs = startedAt.getTime();
  tracing
    .startSpan('POST', {
      kind: 'client',
      parent,
      startedAtMs,
      attributes: {
        'http.request.method': 'POST',
        'url.full': destination,
        'http.response.status_code': response?.statusCode,
        'error.type': failure?.code,
        'tocsin.step': step,
        'tocsin.trigger': trigger,
      },
    })
    .end({ error: failure?.error, endedAtMs: startedAtMs + durationMs });
}
