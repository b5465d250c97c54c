import { type Command, InvalidArgumentError } from 'commander';
import type { PatchWebhook, Webhook } from '../api/schemas.js';
import { orNull, parseDurationMs } from './parse-values.js';

/** Flags for the optional settings of a webhook, such as its timeout. `false` restores the default. */
export interface OptionFlags {
  retrySchedule?: number[] | false;
  timeout?: number | false;
  rateLimit?: NonNullable<Webhook['rate_limit']> | false;
  signing?: boolean;
  idempotencyHeader?: string | false;
}

export function withOptionFlags(command: Command): Command {
  return command
    .option(
      '--retry-schedule <delays>',
      'delays before the second and later attempts, such as 5s,1m,1h; "none": no retries',
      parseSchedule,
    )
    .option('--no-retry-schedule', 'use the retry schedule of the deployment')
    .option('--timeout <duration>', 'timeout of a request, such as 15s', parseDurationMs)
    .option('--no-timeout', 'use the timeout of the deployment')
    .option(
      '--rate-limit <requests/period>',
      'maximum number of requests in a period, such as 10/1s or 100/1m',
      parseRateLimit,
    )
    .option('--no-rate-limit', 'remove the rate limit')
    .option('--signing', 'sign each request as Standard Webhooks specifies')
    .option('--no-signing', 'do not sign requests')
    .option('--idempotency-header <name>', 'name of a header that contains the id of the delivery')
    .option('--no-idempotency-header', 'send no header with the id of the delivery');
}

export function optionFieldsOf({
  retrySchedule,
  timeout,
  rateLimit,
  signing,
  idempotencyHeader,
}: OptionFlags): PatchWebhook {
  return {
    ...(retrySchedule !== undefined && { retry_schedule_ms: orNull(retrySchedule) }),
    ...(timeout !== undefined && { timeout_ms: orNull(timeout) }),
    ...(rateLimit !== undefined && { rate_limit: orNull(rateLimit) }),
    ...(signing !== undefined && { signing }),
    ...(idempotencyHeader !== undefined && { idempotency_header: orNull(idempotencyHeader) }),
  };
}

/**
 * Returns the optional settings of a webhook as labels and values. The value is null for a setting with its default.
 */
export function describeOptions(webhook: Webhook): Record<string, string | number | null | undefined> {
  const { retry_schedule_ms, timeout_ms, rate_limit, signing, idempotency_header, disabled_reason } = webhook;
  return {
    'retry schedule':
      retry_schedule_ms && (retry_schedule_ms.map((ms) => `${ms} ms`).join(', ') || 'no retry'),
    timeout: timeout_ms && `${timeout_ms} ms`,
    'rate limit': rate_limit && `${rate_limit.requests} in ${rate_limit.period_ms} ms`,
    signing: signing ? 'Standard Webhooks' : null,
    'idempotency header': idempotency_header,
    'disabled because': disabled_reason,
  };
}

function parseSchedule(text: string): number[] {
  return text === 'none' ? [] : text.split(',').map((delay) => parseDurationMs(delay.trim()));
}

function parseRateLimit(text: string): NonNullable<Webhook['rate_limit']> {
  const [, requests, period] = /^(\d{1,6})\/(.+)$/.exec(text) ?? [];
  if (requests === undefined || period === undefined)
    throw new InvalidArgumentError('It must be requests/period, such as 10/1s or 100/1m.');
  return { requests: Number(requests), period_ms: parseDurationMs(period) };
}
