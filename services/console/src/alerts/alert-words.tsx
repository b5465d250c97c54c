import type { Alert } from '@tocsin/client/browser';
import { alertOutcomeWords, wordsOf } from '../shared/words.js';
import { StatusChip } from '../ui/index.js';

export function AlertOutcome({ alert: { outcome, state, is_test } }: { alert: Alert }) {
  const { label, tone } = wordsOf(alertOutcomeWords, outcome) ?? { label: outcome, tone: 'muted' as const };
  return (
    <>
      <StatusChip tone={tone}>{label}</StatusChip>{' '}
      {state === 'resolved' && <StatusChip tone="muted">Resolved</StatusChip>}{' '}
      {is_test && <StatusChip tone="busy">Test</StatusChip>}
    </>
  );
}

/**
 * Formats the measured value and the condition of the rule, for example `0.84, fires below 0.9`. The measured value has
 * at most six significant digits. Returns `–` for a notice, which has no measured value.
 */
export function describeMeasurement(alert: Alert): string {
  const { alert_rule_name, metric_value, threshold, bound } = alert;
  if (alert_rule_name.startsWith('Tocsin: ') && metric_value === 0 && threshold === 0) return '–';
  const value = Number(metric_value.toPrecision(6));
  return `${value}, fires ${bound === 'lower_bound' ? 'below' : 'above'} ${threshold}`;
}

/** Returns the number of deliveries in each state as text, for example `2 succeeded, 1 open`. */
export function describeSummary({ summary }: Alert): string {
  const counts = Object.entries(summary).filter(([, count]) => count > 0);
  // The non-breaking space (U+00A0) keeps each number next to its state, so that lines break only after commas.
  return counts.map(([state, count]) => `${count}\u00a0${state}`).join(', ');
}
