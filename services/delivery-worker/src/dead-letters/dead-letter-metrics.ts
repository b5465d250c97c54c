import { type DeadLetterReason, deadLetterReasons } from '@tocsin/contracts';
import type { Metrics } from '@tocsin/kit';

export function createDeadLetterMetrics(metrics: Metrics) {
  const deadLetters = metrics.counter(
    'tocsin_dead_letters_total',
    'Messages moved to the dead-letter table.',
    ['reason'],
  );
  // Alarms watch the increase of a series, and a series that starts at 1 has none.
  for (const reason of deadLetterReasons) deadLetters.inc({ reason }, 0);
  return { deadLettered: (reason: DeadLetterReason) => deadLetters.inc({ reason }) };
}

export type DeadLetterMetrics = ReturnType<typeof createDeadLetterMetrics>;
