import type { CreateDispatch } from '@tocsin/client/browser';
import { dispatchableOutcomes } from '@tocsin/contracts/browser';
import type { AlertFilter } from '../api/index.js';
import { alertSearchTexts, type ChipTexts, timeTexts } from '../shared/filter-chips.js';
import { alertOutcomeWords, wordsOf } from '../shared/words.js';

/** Names of the filters. The API and the address of the page use the same names. */
export const filterNames = ['outcome', 'alert_rule_id', 'label', 'model_id', 'since', 'until'] as const;
type FilterName = (typeof filterNames)[number];
export type FilterValues = Partial<Record<FilterName, string>>;

/**
 * Returns the filter of an API request. Invalid values are passed on unchanged, because the API rejects them with a
 * message that names the mistake.
 */
export function toFilter({ label, ...rest }: FilterValues): AlertFilter {
  return { ...rest, ...(label !== undefined && { label: [label] }) } as AlertFilter;
}

/** Returns true if the filter selects only alerts that can be dispatched by hand. */
export function isDispatchable({ outcome = '' }: FilterValues): boolean {
  return (dispatchableOutcomes as readonly string[]).includes(outcome);
}

/**
 * Returns the request of a job that dispatches all matching alerts. Returns undefined if the filters also select alerts
 * that cannot be dispatched by hand, or if one of the filters is not supported by dispatch jobs.
 */
export function toDispatch({ label, model_id, ...filter }: FilterValues): CreateDispatch | undefined {
  const isListOnly = label !== undefined || model_id !== undefined;
  return isDispatchable(filter) && !isListOnly ? (filter as CreateDispatch) : undefined;
}

/** Returns, for each filter, a function that converts the filter's value to the text of its chip. */
export function chipTexts(ruleName: (id: string) => string): ChipTexts<FilterName> {
  return {
    outcome: (value) => wordsOf(alertOutcomeWords, value)?.label ?? value,
    alert_rule_id: (value) => `rule ${ruleName(value)}`,
    ...alertSearchTexts,
    ...timeTexts,
  };
}
