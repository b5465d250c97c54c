import { type DeadLetterReason, deadLetterReasons } from '@tocsin/contracts';
import type { Metrics } from '@tocsin/kit';

export function createDeadLetterMetrics(metrics: Metrics) {
  const deadLetters = metrics.counter(
    'tocsin_dead_letters_total',
    'Messages moved to the dead-letter table.',
    ['reason'],
  );
  // All series start at 0, because alarms watch for increases, and a counter that first appears with the value 1 shows
  // no increase.
  for (const reason of deadLetterReasons) deadLetters.inc({ reason }, 0);
  return { deadLettered: (reason: DeadLetterReason) => deadLetters.inc({ reason }) };
}

export type DeadLetterMetrics = ReturnType<typeof createDeadLetterMetrics>;
