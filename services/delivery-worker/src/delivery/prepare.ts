import { failuresAtWrite } from '@tocsin/deliveries';
import {
  alertContext,
  type CompileResult,
  createBodyCompiler,
  findJsonFault,
  type TemplateError,
} from '@tocsin/template';
import { LRUCache } from 'lru-cache';
import { type ClaimedDelivery, maxClaimsWithoutOutcome } from './claimed-delivery.js';
import { policyFor, type RetryPolicy, retryOrFail } from './classify.js';
import type { Deferral, Failure, Outcome } from './outcome.js';
import {
  type DecryptedWebhook,
  pausedMsOf,
  type RequestOptions,
  type Undecryptable,
  validKeys,
} from './webhooks-reader.js';

/** A request to send, or the reason why none is sent. */
export type PrepareResult = PreparedRequest | Unsent | Deferral;

/** A delivery whose outcome is recorded without a request. The outcome can be a retry. */
export interface Unsent {
  kind: 'unsent';
  outcome: Outcome;
  /** The rendered text if it is not JSON, which is the reason why it was not sent. Otherwise undefined. */
  rendered?: string | undefined;
}

/** A request to send: the values of the webhook, with the rendered body instead of the template. */
export interface PreparedRequest extends Omit<DecryptedWebhook, 'id' | 'version'> {
  kind: 'request';
}

export interface PrepareInput {
  claimed: ClaimedDelivery;
  /** The webhook of the delivery; undefined if it does not exist. */
  webhook: DecryptedWebhook | Undecryptable | undefined;
  /** Renders the body of the webhook. Undefined if the workspace has used its render budget. */
  render: RenderBody | undefined;
  policy: RetryPolicy;
  /** Random number from 0 to 1. */
  random: number;
  /** Returns the Unix time in milliseconds. */
  now: () => number;
}

/** Decides if a claimed delivery is sent now. If so, renders its body and returns the request. */
export function prepare(input: PrepareInput): PrepareResult {
  const { claimed, webhook } = input;
  if (claimed.claimsWithoutOutcome > maxClaimsWithoutOutcome)
    return failed('crashes_worker', `Claimed ${maxClaimsWithoutOutcome} times without an outcome.`);
  if (claimed.webhook === undefined || webhook === undefined)
    return failed('webhook_deleted', failuresAtWrite.webhook_deleted);
  if (!claimed.webhook.enabled) {
    const failure = { code: 'webhook_disabled', error: 'The webhook is disabled.' } as const;
    return { kind: 'unsent', outcome: { kind: 'skipped', failure } };
  }
  const isUndecryptable = 'error' in webhook;
  const options = isUndecryptable ? undefined : webhook.options;
  if (hasExpired(input, options))
    return failed(
      'expired',
      `The delivery was not made in time.${isUndecryptable ? ` ${undecryptable}` : describeWait(options, input.now)}`,
    );
  if (claimed.pause !== undefined && claimed.pause.remainingMs > 0)
    return {
      kind: 'deferred',
      afterMs: Math.min(claimed.pause.remainingMs, maxPausedMs),
      reason: 'paused',
    };
  if (isUndecryptable) return deferUndecryptable(input);
  // The webhook got its rate limit after the delivery was queued or claimed at write, so the claim has taken no request
  // from the limit. The delivery is deferred, because the dispatcher claims the deliveries of such webhooks.
  if (options?.rateLimit !== undefined && claimed.limitedClaim !== 'with_request')
    return { kind: 'deferred', afterMs: 0, reason: 'rate_limit' };
  if (lacksSecret(options, input.now)) return { ...deferLong(input), reason: 'no_signing_secret' };
  return prepareBody(input, webhook);
}

/**
 * Maximum delay of a delivery of a paused webhook, in milliseconds. The dispatcher postpones such deliveries for as
 * long. If a pause of days ends early, and not all of its deliveries are brought forward, they are sent after this time.
 */
const maxPausedMs = 300_000;

function hasExpired({ claimed, policy, now }: PrepareInput, options: RequestOptions | undefined): boolean {
  const { ageMs } = claimed;
  if (ageMs <= policy.maxAgeMs) return false;
  return options === undefined || ageMs - pausedMsOf(options, { ageMs, nowMs: now() }) > policy.maxAgeMs;
}

/**
 * Returns a sentence about the probable reason why a delivery waited until it expired. The reason is that its webhook
 * lacks a signing secret or, if it does not, that it has a rate limit. Returns an empty text if neither is true.
 */
function describeWait(options: RequestOptions | undefined, now: () => number): string {
  if (lacksSecret(options, now)) return ' The webhook signs its requests and had no signing secret.';
  if (options?.rateLimit === undefined) return '';
  const { requests, periodMs } = options.rateLimit;
  return ` The rate limit of the webhook is ${requests} requests in ${periodMs} ms.`;
}

function lacksSecret(options: RequestOptions | undefined, now: () => number): boolean {
  return options?.signingKeys !== undefined && validKeys(options.signingKeys, now()).length === 0;
}

function failed(code: 'crashes_worker' | 'webhook_deleted' | 'expired', error: string): PrepareResult {
  return { kind: 'unsent', outcome: { kind: 'failed', failure: { code, error } } };
}

const undecryptable =
  'The webhook cannot be decrypted: the key that it is encrypted with is not set, or the data is damaged.';
const firstLongWaitMs = 3_500;
const maxLongWaitMs = 60_000;

/** Defers a delivery whose webhook cannot be decrypted, because another worker may have the key. */
function deferUndecryptable(input: PrepareInput): Deferral {
  const failure: Failure = { code: 'internal_error', error: undecryptable };
  return { ...deferLong(input), reason: 'undecryptable', failure };
}

/**
 * Returns a deferral without its reason. The delay is a tenth of the delivery's age, from 3.5 s to 60 s, plus or minus
 * 40 %. It grows because each further claim of the delivery costs database time.
 */
function deferLong({ claimed, random }: PrepareInput): Omit<Deferral, 'reason'> {
  const waitMs = Math.min(maxLongWaitMs, Math.max(firstLongWaitMs, claimed.ageMs / 10));
  // The jitter is 40 %, so the first delay is between 2.1 and 4.9 seconds.
  return { kind: 'deferred', afterMs: waitMs * (0.6 + 0.8 * random) };
}

const renderBudgetDelayMs = 1_000;

function prepareBody(
  input: PrepareInput,
  { destination, url, headers, body, redact, options }: DecryptedWebhook,
): PrepareResult {
  const { claimed, render, policy, random } = input;
  if (render === undefined)
    return { kind: 'deferred', afterMs: renderBudgetDelayMs * (1 + random), reason: 'render_budget' };
  const rendered = render(body, claimed);
  if (rendered.ok)
    return { kind: 'request', destination, url, headers, body: rendered.output, redact, options };
  const failure: Failure = { code: rendered.code, error: rendered.error };
  if (failure.code === 'internal_error')
    return {
      kind: 'unsent',
      outcome: retryOrFail({ step: claimed.step, failure, policy: policyFor(policy, options), random }),
    };
  return { kind: 'unsent', outcome: { kind: 'failed', failure }, rendered: rendered.output };
}

type Rendered =
  | { ok: true; output: string }
  /**
   * The code is `internal_error` if the rendering exceeded its time limit, although it was within the other limits of
   * its template budget. The cause is a slow machine, so a retry can succeed.
   */
  | { ok: false; code: 'template_error' | 'invalid_json' | 'internal_error'; error: string; output?: string };

/**
 * Renders the body of a webhook for an alert. The result must be JSON. The delivery's id is the seed of the filter
 * `random`, so that every attempt sends the same values.
 */
export type RenderBody = (
  source: string,
  delivery: Pick<ClaimedDelivery, 'deliveryId' | 'facts'>,
) => Rendered;

/**
 * Maximum number of characters of the sources of the cached templates. A compiled template usually takes 30 bytes for
 * each character of its source, and at most 100. The cache therefore takes at most 100 MB, and usually 30 MB.
 */
const maxCachedCharacters = 1_000_000;

/** Creates a renderer with a cache of compiled templates. `compile` replaces the compiler in tests. */
export function createRenderBody(
  compile: (source: string) => CompileResult = createBodyCompiler(),
): RenderBody {
  // Compiling a template of 1,500 characters takes 50 to 300 µs. Results with an error are cached too.
  const templates = new LRUCache<string, CompileResult>({
    max: 2_000,
    maxSize: maxCachedCharacters,
    sizeCalculation: (_, source) => Math.max(1, source.length),
    memoMethod: compile,
  });
  return (source, { deliveryId, facts }) => {
    const compiled = templates.memo(source);
    if (!compiled.ok) return renderError(compiled.error);
    const rendered = compiled.template.render(alertContext(facts), deliveryId);
    if (!rendered.ok) return renderError(rendered.error);
    const fault = findJsonFault(rendered.output);
    if (fault === undefined) return rendered;
    // The error contains the position of the fault and not the text of the body, because a body can contain
    // credentials.
    const place = `line ${fault.line}, column ${fault.column} of the rendered body`;
    return {
      ok: false,
      code: 'invalid_json',
      output: rendered.output,
      error: `The rendered body is not JSON: ${fault.message} (${place}).`,
    };
  };
}

function renderError({ kind, message, line, column }: TemplateError): Rendered {
  const code = kind === 'overrun' ? 'internal_error' : 'template_error';
  return { ok: false, code, error: `${message} (line ${line}, column ${column} of the template)` };
}
