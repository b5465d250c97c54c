import { errorCodes, uuid } from '@tocsin/contracts';
import { invalidQuery } from '@tocsin/kit';

/**
 * Schemas of the query parameters that are allowed only together with `since`: `label`, `model_id` and `error_code`.
 */
export const labelQuery = {
  type: 'array',
  maxItems: 20,
  items: {
    type: 'string',
    pattern: '^[A-Za-z_][A-Za-z0-9_.-]{0,62}:[^\\u0000]{0,256}$',
    description: 'a label as name:value, with the name and the value of a label of an alert',
  },
  description:
    'Label of the alert as `name:value`. If the parameter is repeated, the alert must have all labels. Needs `since`.',
} as const;

export const modelQuery = {
  ...uuid,
  description: 'Model of the alert. Needs `since`.',
} as const;

export const errorCodeQuery = {
  type: 'string',
  enum: errorCodes,
  description: 'Error code of the delivery. Needs `since`.',
} as const;

interface Search {
  label?: readonly string[];
  model_id?: string;
  error_code?: string;
  since?: string;
  cursor?: string;
}

const dayMs = 86_400_000;
const maxDays = 31;
/** Time by which `since` may be older than 31 days, in milliseconds. The clock of a caller can be an hour behind. */
const toleranceMs = 3_600_000;

/**
 * Checks that a search has a recent `since` if its filters require one. A request with a cursor is not checked: its
 * `since` was checked for the first page, cannot change after that, and can become too old while a client reads pages.
 * @throws AppError `validation_failed` if a filter requires `since`, and `since` is missing or too long ago
 */
export function requireRecentSince({ since, cursor, ...query }: Search, nowMs: number): void {
  const names = (['label', 'model_id', 'error_code'] as const).filter((name) => query[name] !== undefined);
  if (names.length === 0 || cursor !== undefined) return;
  if (since !== undefined && Date.parse(since) >= nowMs - maxDays * dayMs - toleranceMs) return;
  const message = `must be given with ${names.join(' and ')}, as a time of the last ${maxDays} days`;
  throw invalidQuery([{ path: 'since', message }]);
}
