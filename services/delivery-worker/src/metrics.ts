import { type AlertOutcome, type DeadLetterReason, deadLetterReasons, errorCodes } from '@tocsin/contracts';
import type { Metrics } from '@tocsin/kit';
import type { Claimed } from './delivery/claimed.js';
import { type Attempt, type Deferral, deferralReasons, type Verdict } from './delivery/verdict.js';
import type { Backlog } from './dispatch/dispatch-repository.js';

/** What the worker counts. Labels are closed lists; nothing is labelled by webhook, workspace or url. */
export interface WorkerMetrics {
  alertFannedOut(alert: { outcome: AlertOutcome; webhooks: number }): void;
  deadLettered(reason: DeadLetterReason): void;
  messageFailed(): void;
  batch(stage: 'fan_out' | 'claim' | 'record', size: number): void;
  rendered(seconds: number): void;
  attempted(attempt: { claimed: Claimed; verdict: Verdict; attempt: Attempt; nowMs: number }): void;
  ended(verdict: Verdict): void;
  deferred(reason: Deferral['reason']): void;
  putBack(count: number): void;
  /** What is not known is NaN: a figure of before would be taken for one of now. */
  backlog(seen: Backlog & { ready: number }): void;
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
// Close enough that a quantile between two of them still tells something; 30 s is the limit of an alarm.
const waits = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 21_600, 86_400,
];
const sizes = [1, 2, 5, 10, 25, 50, 100, 200];

/** `inFlight` is asked at each scrape. */
export function createWorkerMetrics(
  metrics: Metrics,
  read: { inFlight: () => number; slots: number },
): WorkerMetrics {
  const alerts = metrics.counter('tocsin_alerts_total', 'Alerts accepted, by what became of them.', [
    'outcome',
  ]);
  const width = metrics.histogram({
    name: 'tocsin_fan_out_webhooks',
    help: 'Webhooks of an alert.',
    buckets: [0, 1, 2, 5, 10, 20],
  });
  const deadLetters = metrics.counter('tocsin_dead_letters_total', 'Messages set aside.', ['reason']);
  const failures = metrics.counter(
    'tocsin_messages_failed_total',
    'Times that a message failed for no fault of its own; it is tried again.',
  );
  const batches = metrics.histogram({
    name: 'tocsin_batch_size',
    help: 'Items committed together.',
    labels: ['stage'],
    buckets: sizes,
  });
  const templates = metrics.histogram({
    name: 'tocsin_template_seconds',
    help: 'Rendering a body.',
    buckets: [0.0001, 0.001, 0.01, 0.1],
  });
  const attempts = metrics.counter('tocsin_attempts_total', 'HTTP requests made.', ['outcome', 'error_code']);
  const durations = metrics.histogram({
    name: 'tocsin_attempt_seconds',
    help: 'Duration of an attempt.',
    labels: ['outcome'],
    buckets: seconds,
  });
  const firstAttempt = metrics.histogram({
    name: 'tocsin_fired_to_first_attempt_seconds',
    help: 'From firing to the first attempt.',
    buckets: waits,
  });
  const success = metrics.histogram({
    name: 'tocsin_fired_to_success_seconds',
    help: 'From firing to success.',
    buckets: waits,
  });
  const deliveries = metrics.counter('tocsin_deliveries_total', 'Deliveries that ended.', [
    'outcome',
    'error_code',
  ]);
  const deferrals = metrics.counter('tocsin_deferrals_total', 'Deliveries handed back without an attempt.', [
    'reason',
  ]);
  const putBacks = metrics.counter('tocsin_put_back_total', 'Deliveries whose lease ran out.');
  const ready = metrics.gauge('tocsin_queue_ready', 'Messages ready in the deliveries queue.');
  const due = metrics.gauge(
    'tocsin_deliveries_due',
    'Deliveries that are due and wait for a place in the queue.',
  );
  const overdue = metrics.gauge(
    'tocsin_deliveries_overdue',
    'Of these, due for more than a minute although their webhook is not held back.',
  );
  const oldest = metrics.gauge(
    'tocsin_oldest_due_seconds',
    'How long the oldest of them has been due whose webhook is not held back.',
  );
  const held = metrics.gauge(
    'tocsin_webhooks_held',
    'Webhooks held back: by an open circuit, or because the destination asked for it.',
    ['reason'],
  );
  metrics.gauge('tocsin_in_flight', 'Requests under way.', [], (gauge) => gauge.set(read.inFlight()));
  metrics.gauge('tocsin_slots', 'Requests that may be under way.').set(read.slots);

  // A series that begins at 1 has no increase: what alarms watch begins at 0.
  for (const reason of deadLetterReasons) deadLetters.inc({ reason }, 0);
  for (const reason of deferralReasons) deferrals.inc({ reason }, 0);
  for (const error_code of errorCodes) {
    deliveries.inc({ outcome: 'failed', error_code }, 0);
    attempts.inc({ outcome: 'retry', error_code }, 0);
  }

  return {
    alertFannedOut({ outcome, webhooks }) {
      alerts.inc({ outcome });
      width.observe(webhooks);
    },
    deadLettered: (reason) => deadLetters.inc({ reason }),
    messageFailed: () => failures.inc(),
    batch: (stage, size) => batches.observe({ stage }, size),
    rendered: (duration) => templates.observe(duration),
    attempted({ claimed, verdict, attempt, nowMs }) {
      attempts.inc({ outcome: verdict.kind, error_code: errorCodeOf(verdict) });
      durations.observe({ outcome: verdict.kind }, attempt.durationMs / 1_000);
      const firedAtMs = Date.parse(claimed.facts.fired_at);
      if (claimed.step === 0 && claimed.generation === 1)
        firstAttempt.observe(Math.max(0, attempt.startedAt.getTime() - firedAtMs) / 1_000);
      if (verdict.kind === 'succeeded') success.observe(Math.max(0, nowMs - firedAtMs) / 1_000);
    },
    ended(verdict) {
      if (verdict.kind !== 'retry')
        deliveries.inc({ outcome: verdict.kind, error_code: errorCodeOf(verdict) });
    },
    deferred: (reason) => deferrals.inc({ reason }),
    putBack: (count) => putBacks.inc(count),
    backlog(seen) {
      ready.set(seen.ready);
      due.set(seen.due);
      oldest.set(seen.oldestDueSeconds);
      overdue.set(seen.overdue);
      held.set({ reason: 'circuit' }, seen.openCircuits);
      held.set({ reason: 'retry_after' }, seen.retryAfters);
    },
  };
}

function errorCodeOf(verdict: Verdict): string {
  return 'failure' in verdict ? verdict.failure.code : '';
}
