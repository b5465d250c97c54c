import type { CreateDispatch } from '@tocsin/client/browser';
import type { AlertFilter } from '../api/index.js';
import { alertSearchTexts, type ChipTexts, timeTexts } from '../shared/filter-chips.js';
import { alertOutcomeWords, wordsOf } from '../shared/words.js';

/** Filters of the API, under the same names in the address. */
export const filterNames = ['outcome', 'alert_rule_id', 'label', 'model_id', 'since', 'until'] as const;
type FilterName = (typeof filterNames)[number];
export type FilterValues = Partial<Record<FilterName, string>>;

/** Values that the API would refuse are sent as they are: its message names the mistake. */
export function toFilter({ label, ...rest }: FilterValues): AlertFilter {
  return { ...rest, ...(label !== undefined && { label: [label] }) } as AlertFilter;
}

/** Outcomes of alerts without deliveries, which can be dispatched by hand. */
const dispatchable = new Set(['over_quota', 'no_webhooks', 'rule_disabled', 'suppressed']);

/** True if the filter shows alerts without deliveries. */
export function isDispatchable({ outcome = '' }: FilterValues): boolean {
  return dispatchable.has(outcome);
}

/**
 * The request that dispatches all alerts which match. Undefined if the filter shows other alerts too, or has a part that a
 * dispatch cannot have.
 */
export function toDispatch({ label, model_id, ...filter }: FilterValues): CreateDispatch | undefined {
  const isListOnly = label !== undefined || model_id !== undefined;
  return isDispatchable(filter) && !isListOnly ? (filter as CreateDispatch) : undefined;
}

/** Each filter in words. */
export function chipTexts(ruleName: (id: string) => string): ChipTexts<FilterName> {
  return {
    outcome: (value) => wordsOf(alertOutcomeWords, value)?.label ?? value,
    alert_rule_id: (value) => `rule ${ruleName(value)}`,
    ...alertSearchTexts,
    ...timeTexts,
  };
}
