import type { Tracing } from '@tocsin/kit';
import { claimed } from '../../test/support/deliverer.js';
import type { Attempt } from './outcome.js';
import { traceDelivery } from './trace-delivery.js';

/** Traces the end of a claim. Returns, for each span, the arguments with which it was started and ended. */
function spansOf(traced: Parameters<typeof traceDelivery>[1]) {
  const spans: unknown[][] = [];
  const tracing: Tracing = {
    startSpan(name, options) {
      const span: unknown[] = [name, options];
      spans.push(span);
      return { traceparent: `of ${name}`, end: (end) => void span.push(end) };
    },
  };
  const delivery = claimed('hook', {
    deliveryId: 'd',
    run: 2,
    claim: 5,
    step: 3,
    traceparent: 'of the alert',
    facts: { alert_id: 'a' } as never,
  });
  traceDelivery(delivery, traced, tracing);
  return spans;
}

const ids = {
  'tocsin.delivery_id': 'd',
  'tocsin.run': 2,
  'tocsin.claim': 5,
  'tocsin.alert_id': 'a',
  'tocsin.webhook_id': 'hook',
  'tocsin.workspace_id': 'w',
};
const startedAtMs = performance.timeOrigin + 1_000;
const failure = { code: 'http_status', error: 'Status 503.' } as const;
const retry = { kind: 'retry', afterMs: 1, step: 4, failure } as const;

test('a delivery span starts at the claim, and its request span has the times of the request', () => {
  const attempt: Attempt = {
    trigger: 'scheduled',
    startedAt: new Date(50_000),
    durationMs: 7,
    destination: 'https://a.example',
    requestBody: '{}',
    response: { statusCode: 503, body: '', truncated: false },
    failure,
    note: undefined,
  };
  const attributes = { ...ids, 'tocsin.outcome': 'retry', 'tocsin.deferred': undefined };
  const request = {
    'http.request.method': 'POST',
    'url.full': 'https://a.example',
    'http.response.status_code': 503,
    'error.type': 'http_status',
    'tocsin.step': 3,
    'tocsin.trigger': 'scheduled',
  };
  expect(spansOf({ outcome: retry, attempt })).toEqual([
    [
      'deliver',
      { kind: 'consumer', parent: 'of the alert', startedAtMs, attributes },
      { error: 'Status 503.' },
    ],
    [
      'POST',
      { kind: 'client', parent: 'of deliver', startedAtMs: 50_000, attributes: request },
      { error: 'Status 503.', endedAtMs: 50_007 },
    ],
  ]);
});

test.each([
  ['deferral', { kind: 'deferred', afterMs: 1, reason: 'no_slot' }, 'no_slot', undefined],
  ['failure', { kind: 'failed', failure }, undefined, 'Status 503.'],
] as const)('a %s without a request has one span', (_, outcome, deferred, error) => {
  const attributes = { ...ids, 'tocsin.outcome': outcome.kind, 'tocsin.deferred': deferred };
  expect(spansOf({ outcome })).toEqual([
    ['deliver', { kind: 'consumer', parent: 'of the alert', startedAtMs, attributes }, { error }],
  ]);
});
