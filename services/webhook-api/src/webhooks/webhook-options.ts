import type { PatchWebhook } from '@tocsin/contracts';
import { checkHeaders, signatureHeaders } from '@tocsin/egress';
import type { FieldError } from '@tocsin/kit';
import { toDate } from '../change.js';
import type { StoredWebhook, WebhookOptions, WrittenWebhook } from './stored-webhook.js';

export const noOptions: WebhookOptions = {
  retryScheduleMs: null,
  timeoutMs: null,
  rateLimit: null,
  signing: false,
  idempotencyHeader: null,
  pausedUntil: null,
};

/** Returns the options that a webhook has after a request. Fields that are not in the request keep their values. */
export function changeOptions(before: WebhookOptions, fields: PatchWebhook): WebhookOptions {
  const { retry_schedule_ms, timeout_ms, rate_limit, signing, idempotency_header, paused_until } = fields;
  return {
    retryScheduleMs: retry_schedule_ms === undefined ? before.retryScheduleMs : retry_schedule_ms,
    timeoutMs: timeout_ms === undefined ? before.timeoutMs : timeout_ms,
    rateLimit: rate_limit === undefined ? before.rateLimit : rate_limit,
    signing: signing ?? before.signing,
    idempotencyHeader: idempotency_header === undefined ? before.idempotencyHeader : idempotency_header,
    pausedUntil: paused_until === undefined ? before.pausedUntil : toDate(paused_until),
  };
}

const dayMs = 86_400_000;
const maxPauseMs = 7 * dayMs;

/**
 * Checks the rules for options that JSON Schema cannot express, and returns the errors. `headerNames` are the names of
 * the configured headers.
 */
export function optionErrors(
  { retryScheduleMs, signing, idempotencyHeader, pausedUntil }: WebhookOptions,
  { headerNames, now }: { headerNames: readonly string[]; now: Date },
): FieldError[] {
  const errors: FieldError[] = [];
  const addError = (path: string, message: string) => errors.push({ path, message });
  if (retryScheduleMs !== null && retryScheduleMs.reduce((sum, ms) => sum + ms, 0) >= dayMs)
    addError('/retry_schedule_ms', 'must add up to less than 24 hours');
  if (pausedUntil !== null && pausedUntil.getTime() > now.getTime() + maxPauseMs)
    addError('/paused_until', 'must be at most 7 days ahead');
  if (idempotencyHeader !== null) {
    const problem = idempotencyProblem(idempotencyHeader, headerNames);
    if (problem !== undefined) addError('/idempotency_header', problem);
  }
  const signed = signing ? headerNames.filter((name) => isSignatureHeader(name)) : [];
  for (const name of signed) addError(`/headers/${name}`, 'must not be set: the signature sets it');
  return errors;
}

/** A webhook's options, and the names of its configured headers. */
type OptionsWithHeaders = WebhookOptions & Pick<StoredWebhook, 'headerNames'>;

export const noOptionsAndHeaders: OptionsWithHeaders = { ...noOptions, headerNames: [] };

/**
 * Returns further errors of options in a body that the schema has rejected. Only members with the right type are
 * checked.
 */
export function errorsOfGivenOptions(
  before: OptionsWithHeaders,
  given: Readonly<Record<string, unknown>>,
  now: Date,
): FieldError[] {
  const { retry_schedule_ms, signing, idempotency_header, paused_until, headers } = given;
  const fields: PatchWebhook = {
    ...(isNumbers(retry_schedule_ms) && { retry_schedule_ms }),
    ...(typeof signing === 'boolean' && { signing }),
    ...(typeof idempotency_header === 'string' && { idempotency_header }),
    ...(typeof paused_until === 'string' && { paused_until }),
  };
  const isObject = typeof headers === 'object' && headers !== null;
  const headerNames = isObject ? Object.keys(headers) : before.headerNames;
  return optionErrors(changeOptions(before, fields), { headerNames, now });
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number');
}

function idempotencyProblem(name: string, headerNames: readonly string[]): string | undefined {
  const [error] = checkHeaders({ [name]: [] });
  if (error !== undefined) return error.message;
  if (isSignatureHeader(name)) return 'must not be a header of the signature';
  const isUsed = headerNames.some((used) => used.toLowerCase() === name.toLowerCase());
  return isUsed ? 'must not be one of the configured headers' : undefined;
}

function isSignatureHeader(name: string): boolean {
  return signatureHeaders.some((header) => header === name.toLowerCase());
}

/** Returns the options as fields of an API response. */
export function presentOptions(webhook: WebhookOptions & Pick<StoredWebhook, 'disabledReason'>) {
  return {
    retry_schedule_ms: webhook.retryScheduleMs,
    timeout_ms: webhook.timeoutMs,
    rate_limit: webhook.rateLimit,
    signing: webhook.signing,
    idempotency_header: webhook.idempotencyHeader,
    paused_until: webhook.pausedUntil?.toISOString() ?? null,
    disabled_reason: webhook.disabledReason,
  };
}

export const optionColumns = `retry_schedule_ms as "retryScheduleMs", timeout_ms as "timeoutMs",
  case when rate_limit_requests is not null then
    jsonb_build_object('requests', rate_limit_requests, 'period_ms', rate_limit_period_ms) end as "rateLimit",
  signing, idempotency_header as "idempotencyHeader", paused_until as "pausedUntil",
  disabled_reason as "disabledReason"`;

export function toOptionRow(webhook: WrittenWebhook) {
  return {
    retry_schedule_ms: webhook.retryScheduleMs,
    timeout_ms: webhook.timeoutMs,
    rate_limit_requests: webhook.rateLimit?.requests ?? null,
    rate_limit_period_ms: webhook.rateLimit?.period_ms ?? null,
    signing: webhook.signing,
    idempotency_header: webhook.idempotencyHeader,
    paused_until: webhook.pausedUntil,
    disabled_reason: webhook.disabledReason,
  };
}
