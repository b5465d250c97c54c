import type { CreateCancellation, CreateRedelivery } from '@tocsin/client/browser';
import { isEndedStatus } from '@tocsin/contracts/browser';
import type { DeliveryFilter } from '../api/index.js';
import { alertSearchTexts, type ChipTexts, timeTexts } from '../shared/filter-chips.js';
import { deliveryStatusWords, errorCodeWords, wordsOf } from '../shared/words.js';

/** Names of the filters. The API and the address of the page use the same names. */
export const filterNames = [
  'status',
  'status_code',
  'error_code',
  'webhook_id',
  'alert_rule_id',
  'alert_id',
  'model_id',
  'label',
  'since',
  'until',
] as const;
export type FilterName = (typeof filterNames)[number];
export type FilterValues = Partial<Record<FilterName, string>>;

/**
 * Returns the filter of an API request. Invalid values are passed on unchanged, because the API rejects them with a
 * message that names the mistake.
 */
export function toFilter(values: FilterValues): DeliveryFilter {
  const { status_code, label, ...rest } = values;
  const filter = {
    ...rest,
    ...(status_code !== undefined && { status_code: Number(status_code) }),
    ...(label !== undefined && { label: [label] }),
  };
  return filter as DeliveryFilter;
}

/**
 * Returns true if at least one of the filters is supported only by lists of deliveries, and not by redelivery and
 * cancellation jobs.
 */
export const isListOnly = ({ error_code, model_id, label }: FilterValues) =>
  [error_code, model_id, label].some((value) => value !== undefined);

/**
 * Returns the request of a job that redelivers all matching deliveries. If the filters contain no state, the job
 * redelivers only failed deliveries. Returns undefined if the filters select open deliveries, or if redelivery jobs do
 * not support one of the filters.
 */
export function toRedelivery(values: FilterValues): CreateRedelivery | undefined {
  const { status = 'failed', ...rest } = values;
  if (!isEndedStatus(status) || isListOnly(values)) return undefined;
  const filter = { ...toFilter(rest), status } as CreateRedelivery;
  return Object.keys(rest).length === 0 ? { ...filter, all: true } : filter;
}

const cancellable = new Set(['waiting', 'queued']);

/**
 * Returns the request of a job that cancels deliveries. The state in the filters must be `waiting` or `queued`. The job
 * cancels deliveries in both of these states, if they match the other filters. Returns undefined for any other state,
 * or if cancellation jobs do not support one of the filters.
 */
export function toCancellation(values: FilterValues): CreateCancellation | undefined {
  const { status = '', status_code, ...filter } = values;
  if (!cancellable.has(status) || status_code !== undefined || isListOnly(values)) return undefined;
  return Object.keys(filter).length === 0 ? { all: true } : filter;
}

export interface Names {
  webhook(id: string): string;
  alertRule(id: string): string;
}

/** Returns, for each filter, a function that converts the filter's value to the text of its chip. */
export function chipTexts(names: Names): ChipTexts<FilterName> {
  return {
    status: (value) => wordsOf(deliveryStatusWords, value)?.label ?? value,
    status_code: (value) => `HTTP ${value}`,
    error_code: (value) => wordsOf(errorCodeWords, value) ?? value,
    webhook_id: (value) => `webhook ${names.webhook(value)}`,
    alert_rule_id: (value) => `rule ${names.alertRule(value)}`,
    alert_id: (value) => `alert ${value.slice(0, 8)}`,
    ...alertSearchTexts,
    ...timeTexts,
  };
}
