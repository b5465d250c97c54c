import type { PatchWebhook, Webhook } from '@tocsin/client/browser';

/** The optional settings of a webhook as the texts that the user typed. An empty text stands for the default value. */
export interface OptionTexts {
  readonly timeoutSeconds: string;
  /** Delays in seconds, separated by commas. `none` means no retry. */
  readonly retrySeconds: string;
  readonly rateRequests: string;
  readonly ratePeriodSeconds: string;
  readonly idempotencyHeader: string;
  readonly externalId: string;
}

/**
 * Returns the member of `OptionTexts` to which an API error belongs. `field` and `member` are the first two parts of
 * the error's path, for example `rate_limit` and `period_ms`.
 */
export function optionAt(field: string, member: string | undefined): keyof OptionTexts | undefined {
  switch (field) {
    case 'timeout_ms':
      return 'timeoutSeconds';
    case 'retry_schedule_ms':
      return 'retrySeconds';
    case 'rate_limit':
      return member === 'period_ms' ? 'ratePeriodSeconds' : 'rateRequests';
    case 'idempotency_header':
      return 'idempotencyHeader';
    case 'external_id':
      return 'externalId';
    default:
      return undefined;
  }
}

type ApiOptions = Required<
  Pick<PatchWebhook, 'timeout_ms' | 'retry_schedule_ms' | 'rate_limit' | 'idempotency_header' | 'external_id'>
>;

export const defaultOptions: OptionTexts = {
  timeoutSeconds: '',
  retrySeconds: '',
  rateRequests: '',
  ratePeriodSeconds: '',
  idempotencyHeader: '',
  externalId: '',
};

export function toOptionTexts(webhook: Webhook): OptionTexts {
  const { timeout_ms, retry_schedule_ms, rate_limit, idempotency_header, external_id } = webhook;
  return {
    timeoutSeconds: secondsOf(timeout_ms),
    retrySeconds:
      retry_schedule_ms?.length === 0 ? 'none' : (retry_schedule_ms ?? []).map(secondsOf).join(', '),
    rateRequests: rate_limit === null ? '' : String(rate_limit.requests),
    ratePeriodSeconds: secondsOf(rate_limit?.period_ms ?? null),
    idempotencyHeader: idempotency_header ?? '',
    externalId: external_id ?? '',
  };
}

/**
 * Converts the texts to the fields of an API request. If texts are invalid, returns an error message for each of them.
 * The limits are those of the API.
 */
export function fromOptionTexts(
  texts: OptionTexts,
): { fields: ApiOptions } | { errors: Partial<Record<keyof OptionTexts, string>> } {
  const timeout_ms = msOf(texts.timeoutSeconds, 20);
  const schedule = scheduleOf(texts.retrySeconds);
  const requests = wholeOf(texts.rateRequests);
  const period_ms = msOf(texts.ratePeriodSeconds, 3_600);
  const isRateHalf = (requests === null) !== (period_ms === null);
  const errors = {
    ...(timeout_ms === undefined ? { timeoutSeconds: 'Enter 1 to 20 seconds, such as 10.' } : {}),
    ...(schedule === undefined
      ? {
          retrySeconds:
            'Enter up to 10 delays of 1 to 43,200 seconds, below a day together, such as 5, 30, 120; or none.',
        }
      : {}),
    ...(requests === undefined ? { rateRequests: 'Enter a whole number from 1 to 1,000.' } : {}),
    ...(period_ms === undefined ? { ratePeriodSeconds: 'Enter 1 to 3,600 seconds.' } : {}),
    ...(isRateHalf ? { ratePeriodSeconds: 'Enter both the number of requests and the seconds.' } : {}),
  };
  if (Object.keys(errors).length > 0) return { errors };
  const rate_limit =
    typeof requests === 'number' && typeof period_ms === 'number' ? { requests, period_ms } : null;
  return {
    fields: {
      timeout_ms: timeout_ms ?? null,
      retry_schedule_ms: schedule ?? null,
      rate_limit,
      idempotency_header: texts.idempotencyHeader.trim() || null,
      external_id: texts.externalId.trim() || null,
    },
  };
}

/** Returns labels and values of the options for display. Options with default values are left out. */
export function describeOptions(webhook: Webhook): [string, string][] {
  const { timeout_ms, retry_schedule_ms, rate_limit, idempotency_header, external_id } = webhook;
  const facts: [string, string | undefined][] = [
    ['Timeout', timeout_ms === null ? undefined : describeSeconds(timeout_ms)],
    ['Retries', retry_schedule_ms === null ? undefined : describeSchedule(retry_schedule_ms)],
    [
      'Rate limit',
      rate_limit === null
        ? undefined
        : `${rate_limit.requests.toLocaleString('en')} requests in ${describeSeconds(rate_limit.period_ms)}`,
    ],
    ['Delivery id in', idempotency_header ?? undefined],
    ['External id', external_id ?? undefined],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}

function describeSchedule(delaysMs: readonly number[]): string {
  return delaysMs.length === 0 ? 'none' : `after ${delaysMs.map(describeSeconds).join(', ')}`;
}

/** Returns the exact time in the unit of the editor, such as `12.5 s`. The separator is a no-break space. */
function describeSeconds(ms: number): string {
  return `${(ms / 1_000).toLocaleString('en')}\u00a0s`;
}

function secondsOf(ms: number | null): string {
  return ms === null ? '' : String(ms / 1_000);
}

/**
 * Converts a text in seconds to milliseconds. Valid texts are from 1 to `max` seconds. Returns null for an empty text
 * and undefined for an invalid one.
 */
function msOf(text: string, max: number): number | null | undefined {
  if (text.trim() === '') return null;
  const seconds = /^\s*\d+(\.\d{1,3})?\s*$/.test(text) ? Number(text) : 0;
  return seconds >= 1 && seconds <= max ? Math.round(seconds * 1_000) : undefined;
}

function wholeOf(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const number = /^\s*\d+\s*$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= 1_000 ? number : undefined;
}

const maxDelays = 10;
const maxDelaySeconds = 43_200;
const dayMs = 86_400_000;

function scheduleOf(text: string): number[] | null | undefined {
  if (text.trim() === '') return null;
  if (text.trim().toLowerCase() === 'none') return [];
  const delays = text.split(',').map((part) => msOf(part, maxDelaySeconds));
  if (!delays.every((delay) => typeof delay === 'number') || delays.length > maxDelays) return undefined;
  return delays.reduce((sum, delay) => sum + delay, 0) < dayMs ? delays : undefined;
}
