import { errorCodes } from '@tocsin/contracts';
import type { Metrics } from '@tocsin/kit';
import type { Claimed } from './claimed.js';
import { type Attempt, type Deferral, deferralReasons, type Verdict } from './verdict.js';

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
// Close enough that a quantile between two of them still tells something; 30 s is the limit of an alarm.
const waits = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 21_600, 86_400,
];

export function createDeliveryMetrics(metrics: Metrics) {
  const deliveries = metrics.counter('tocsin_deliveries_total', 'Deliveries that ended.', [
    'outcome',
    'error_code',
  ]);
  const deferrals = metrics.counter('tocsin_deferrals_total', 'Deliveries handed back without an attempt.', [
    'reason',
  ]);
  const attempts = metrics.counter('tocsin_attempts_total', 'HTTP requests made.', ['outcome', 'error_code']);
  const { templates, durations, firstAttempt, success } = createDurations(metrics);

  // A series that begins at 1 has no increase: what alarms watch begins at 0.
  for (const reason of deferralReasons) deferrals.inc({ reason }, 0);
  for (const error_code of errorCodes) {
    deliveries.inc({ outcome: 'failed', error_code }, 0);
    attempts.inc({ outcome: 'retry', error_code }, 0);
  }
  return {
    rendered: (duration: number) => templates.observe(duration),
    attempted({
      claimed,
      verdict,
      attempt,
      nowMs,
    }: {
      claimed: Claimed;
      verdict: Verdict;
      attempt: Attempt;
      nowMs: number;
    }) {
      attempts.inc({ outcome: verdict.kind, error_code: errorCodeOf(verdict) });
      durations.observe({ outcome: verdict.kind }, attempt.durationMs / 1_000);
      const firedAtMs = Date.parse(claimed.facts.fired_at);
      if (claimed.step === 0 && claimed.run === 1)
        firstAttempt.observe(Math.max(0, attempt.startedAt.getTime() - firedAtMs) / 1_000);
      if (verdict.kind === 'succeeded') success.observe(Math.max(0, nowMs - firedAtMs) / 1_000);
    },
    ended(verdict: Verdict) {
      if (verdict.kind !== 'retry')
        deliveries.inc({ outcome: verdict.kind, error_code: errorCodeOf(verdict) });
    },
    deferred: (reason: Deferral['reason']) => deferrals.inc({ reason }),
  };
}

export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>;

function createDurations(metrics: Metrics) {
  const histogram = (name: string, help: string, buckets: number[]) =>
    metrics.histogram({ name, help, buckets });
  return {
    templates: histogram('tocsin_template_seconds', 'Rendering a body.', [0.0001, 0.001, 0.01, 0.1]),
    durations: metrics.histogram({
      name: 'tocsin_attempt_seconds',
      help: 'Duration of an attempt.',
      labels: ['outcome'],
      buckets: seconds,
    }),
    firstAttempt: histogram(
      'tocsin_fired_to_first_attempt_seconds',
      'From firing to the first attempt.',
      waits,
    ),
    success: histogram('tocsin_fired_to_success_seconds', 'From firing to success.', waits),
  };
}

function errorCodeOf(verdict: Verdict): string {
  return 'failure' in verdict ? verdict.failure.code : '';
}
