import { errorCodes } from '@tocsin/contracts';
import type { Metrics } from '@tocsin/kit';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { type Attempt, type Deferral, deferralReasons, type Outcome } from './outcome.js';

export function createDeliveryMetrics(metrics: Metrics) {
  const deliveries = metrics.counter('tocsin_deliveries_total', 'Deliveries that ended.', [
    'outcome',
    'error_code',
  ]);
  const deferrals = metrics.counter('tocsin_deferrals_total', 'Deliveries released without an attempt.', [
    'reason',
  ]);
  const attempts = metrics.counter('tocsin_attempts_total', 'HTTP requests sent.', ['outcome', 'error_code']);
  const { templates, durations, firstAttempt, success } = createDurations(metrics);

  // The series that alarms watch start at 0, because alarms watch for increases, and a counter that first appears with
  // the value 1 shows none.
  for (const reason of deferralReasons) deferrals.inc({ reason }, 0);
  for (const error_code of errorCodes) {
    deliveries.inc({ outcome: 'failed', error_code }, 0);
    attempts.inc({ outcome: 'retry', error_code }, 0);
  }
  return {
    rendered: (seconds: number) => templates.observe(seconds),
    /**
     * @param completed the delivery with its attempt; `nowMs` is the Unix time in milliseconds at which the attempt was
     * recorded
     */
    attempted(completed: { claimed: ClaimedDelivery; outcome: Outcome; attempt: Attempt; nowMs: number }) {
      const { claimed, outcome, attempt, nowMs } = completed;
      attempts.inc({ outcome: outcome.kind, error_code: errorCodeOf(outcome) });
      durations.observe({ outcome: outcome.kind }, attempt.durationMs / 1_000);
      const firedAtMs = Date.parse(claimed.facts.fired_at);
      if (claimed.step === 0 && claimed.run === 1 && !claimed.manual)
        firstAttempt.observe(Math.max(0, attempt.startedAt.getTime() - firedAtMs) / 1_000);
      if (outcome.kind === 'succeeded') success.observe(Math.max(0, nowMs - firedAtMs) / 1_000);
    },
    recorded(outcome: Outcome) {
      if (outcome.kind !== 'retry')
        deliveries.inc({ outcome: outcome.kind, error_code: errorCodeOf(outcome) });
    },
    deferred: (reason: Deferral['reason']) => deferrals.inc({ reason }),
  };
}

export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>;

const attemptBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/**
 * Upper bounds of the buckets of the two histograms of times since firing, in seconds. An alarm uses the bound of 30 s.
 */
const waitBuckets = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 21_600, 86_400,
];

function createDurations(metrics: Metrics) {
  const histogram = (name: string, help: string, buckets: number[]) =>
    metrics.histogram({ name, help, buckets });
  return {
    templates: histogram('tocsin_template_seconds', 'Rendering of a body.', [0.0001, 0.001, 0.01, 0.1]),
    durations: metrics.histogram({
      name: 'tocsin_attempt_seconds',
      help: 'Duration of an attempt.',
      labels: ['outcome'],
      buckets: attemptBuckets,
    }),
    firstAttempt: histogram(
      'tocsin_fired_to_first_attempt_seconds',
      'From firing to the first attempt.',
      waitBuckets,
    ),
    success: histogram('tocsin_fired_to_success_seconds', 'From firing to success.', waitBuckets),
  };
}

function errorCodeOf(outcome: Outcome): string {
  return 'failure' in outcome ? outcome.failure.code : '';
}
