import type { PatchWebhook, Webhook } from '@tocsin/client/browser';

/** The optional settings of a webhook's requests, as a person types them. An empty text means the default. */
export interface OptionTexts {
  readonly timeoutSeconds: string;
  /** Delays in seconds, separated by commas; `none` for no retry. */
  readonly retrySeconds: string;
  readonly rateRequests: string;
  readonly ratePeriodSeconds: string;
  readonly idempotencyHeader: string;
}

type ApiOptions = Required<
  Pick<PatchWebhook, 'timeout_ms' | 'retry_schedule_ms' | 'rate_limit' | 'idempotency_header'>
>;

export const defaultOptions: OptionTexts = {
  timeoutSeconds: '',
  retrySeconds: '',
  rateRequests: '',
  ratePeriodSeconds: '',
  idempotencyHeader: '',
};

export function toOptionTexts(webhook: Webhook): OptionTexts {
  const { timeout_ms, retry_schedule_ms, rate_limit, idempotency_header } = webhook;
  return {
    timeoutSeconds: secondsOf(timeout_ms),
    retrySeconds:
      retry_schedule_ms?.length === 0 ? 'none' : (retry_schedule_ms ?? []).map(secondsOf).join(', '),
    rateRequests: rate_limit === null ? '' : String(rate_limit.requests),
    ratePeriodSeconds: secondsOf(rate_limit?.period_ms ?? null),
    idempotencyHeader: idempotency_header ?? '',
  };
}

/** Returns the fields of the API, or messages for texts that cannot be sent. The API checks the ranges. */
export function fromOptionTexts(
  texts: OptionTexts,
): { fields: ApiOptions } | { errors: Partial<Record<keyof OptionTexts, string>> } {
  const timeout_ms = msOf(texts.timeoutSeconds);
  const schedule = scheduleOf(texts.retrySeconds);
  const requests = wholeOf(texts.rateRequests);
  const period_ms = msOf(texts.ratePeriodSeconds);
  const isRateHalf = (requests === null) !== (period_ms === null);
  const errors = {
    ...(timeout_ms === undefined ? { timeoutSeconds: 'Enter seconds, such as 10.' } : {}),
    ...(schedule === undefined ? { retrySeconds: 'Enter seconds, such as 5, 30, 120, or none.' } : {}),
    ...(requests === undefined ? { rateRequests: 'Enter a whole number.' } : {}),
    ...(period_ms === undefined || isRateHalf
      ? { ratePeriodSeconds: 'Enter both the number of requests and the seconds.' }
      : {}),
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
    },
  };
}

function secondsOf(ms: number | null): string {
  return ms === null ? '' : String(ms / 1_000);
}

/** Milliseconds of a text in seconds; null for an empty one, undefined for something else. */
function msOf(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  return /^\s*\d+(\.\d{1,3})?\s*$/.test(text) ? Math.round(Number(text) * 1_000) : undefined;
}

function wholeOf(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  return /^\s*\d+\s*$/.test(text) ? Number(text) : undefined;
}

function scheduleOf(text: string): number[] | null | undefined {
  if (text.trim() === '') return null;
  if (text.trim().toLowerCase() === 'none') return [];
  const delays = text.split(',').map(msOf);
  return delays.every((delay) => typeof delay === 'number') ? delays : undefined;
}
