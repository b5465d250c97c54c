import { type DeadLetterReason, deadLetterReasons } from '@tocsin/contracts';
import type { Metrics } from '@tocsin/kit';

export function createDeadLetterMetrics(metrics: Metrics) {
  const deadLetters = metrics.counter('tocsin_dead_letters_total', 'Messages set aside.', ['reason']);
  // A series that begins at 1 has no increase: what alarms watch begins at 0.
  for (const reason of deadLetterReasons) deadLetters.inc({ reason }, 0);
  return { deadLettered: (reason: DeadLetterReason) => deadLetters.inc({ reason }) };
}

export type DeadLetterMetrics = ReturnType<typeof createDeadLetterMetrics>;
