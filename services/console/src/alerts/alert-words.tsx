import type { Alert } from '@tocsin/client/browser';
import { alertOutcomeWords, wordsOf } from '../shared/words.js';
import { StatusChip } from '../ui/index.js';

export function AlertOutcome({ alert: { outcome, is_test } }: { alert: Alert }) {
  const { label, tone } = wordsOf(alertOutcomeWords, outcome) ?? { label: outcome, tone: 'muted' as const };
  return (
    <>
      <StatusChip tone={tone}>{label}</StatusChip> {is_test && <StatusChip tone="busy">Test</StatusChip>}
    </>
  );
}

/** For example "0.84, lower threshold 0.9". */
export function describeMeasurement({ metric_value, threshold, bound }: Alert): string {
  const side = bound === 'lower_bound' ? 'lower' : 'upper';
  return `${metric_value}, ${side} threshold ${threshold}`;
}
