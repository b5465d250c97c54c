import type { Clock } from '../clock.js';
import { describeError } from '../describe-error.js';
import type { Session } from '../sessions/session.js';
import { ConnectionError, toApiError } from './errors.js';
import { nextRetryMs, parseRetryAfterMs } from './retry.js';

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: object | undefined;
  body?: unknown;
  /** True if repeating the request has the same effect as sending it once. Default: true for GET, PUT and DELETE. */
  idempotent?: boolean;
  /**
   * True if the request deletes the resource of its path. If the response to a request is lost and the retry gets 404,
   * the first request has deleted the resource, so the call succeeds.
   */
  deletes?: boolean;
  options?: ChangeOptions | undefined;
}

/** Options of every call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /**
   * Allows the API to send a shared response: one that it has created for another caller with the same roles, at most
   * this many seconds ago (a whole number up to 10). The API shares lists of alerts and deliveries, webhooks with
   * `secrets: false`, and statistics. Default: 0, which means that the response is created for this call.
   */
  maxAgeSeconds?: number | undefined;
}

/** Options of a call that changes a resource with an ETag. */
export interface ChangeOptions extends CallOptions {
  /**
   * Changes the resource only if its current ETag is this one. Default: the change is unconditional. A change with
   * `ifMatch` is not retried: if the API has made the change and only the response was lost, the ETag is new and a
   * retry would fail.
   * @throws PreconditionFailedError if the resource has another ETag
   */
  ifMatch?: string | undefined;
}

export interface ApiResponse<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** Sends a request with retries and returns the successful response. @throws ApiError, ConnectionError, SessionError */
export type Send = <T>(request: ApiRequest) => Promise<ApiResponse<T>>;

/** Sends one HTTP request and returns the response with any status. Redirects are not followed. */
export type HttpSend = (request: {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal;
}) => Promise<{ status: number; headers: Headers; text: string }>;

export interface TransportOptions {
  httpSend: HttpSend;
  baseUrl: string;
  credential: Session | string;
  clock: Clock;
  random(): number;
  /** Timeout of one request, including the response body. */
  timeoutMs: number;
  maxTries: number;
  maxRetryAfterMs: number | undefined;
}

type Outcome =
  | { kind: 'response'; status: number; headers: Headers; text: string }
  | { kind: 'lost'; error: ConnectionError };

/**
 * Creates the function that sends requests. It retries idempotent requests without `ifMatch` after 429, 503, a timeout
 * or a lost connection. With a session, it also retries any request once with another token after status 401. A
 * redirect is an error, so that the token is sent only to the configured origin.
 */
export function createTransport(transport: TransportOptions): Send {
  const { credential, clock } = transport;
  const session = typeof credential === 'string' ? undefined : credential;

  return async <T>(request: ApiRequest): Promise<ApiResponse<T>> => {
    const signal = request.options?.signal;
    let token = await tokenOf(credential, signal);
    let replaced = session === undefined;
    let wasLost = false;
    for (let tries = 1; ; tries += 1) {
      const outcome = await tryOnce(transport, request, token);
      if (outcome.kind === 'response' && outcome.status < 300)
        return { status: outcome.status, headers: outcome.headers, body: parse<T>(outcome) };
      // An earlier try without a response may have deleted the resource.
      if (request.deletes && wasLost && isProblem(outcome) && outcome.status === 404)
        return { status: 204, headers: outcome.headers, body: undefined as T };
      wasLost ||= outcome.kind === 'lost';
      if (session && !replaced && outcome.kind === 'response' && outcome.status === 401) {
        replaced = true;
        token = await session.token({ rejected: token, signal });
        continue;
      }
      const waitMs = retryWaitMs(outcome, request, { transport, tries });
      if (waitMs === undefined) throw errorOf(outcome, clock.now());
      await clock.sleep(waitMs, signal);
      token = await tokenOf(credential, signal);
    }
  };
}

async function tokenOf(credential: Session | string, signal: AbortSignal | undefined): Promise<string> {
  return typeof credential === 'string' ? credential : credential.token({ signal });
}

async function tryOnce(
  { baseUrl, timeoutMs, httpSend }: TransportOptions,
  request: ApiRequest,
  token: string,
): Promise<Outcome> {
  const { method, path, query, body, options } = request;
  const given = options?.signal;
  given?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers: Record<string, string> = {
    accept: 'application/json',
    authorization: authorizationOf(token),
  };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (options?.ifMatch !== undefined) headers['if-match'] = options.ifMatch;
  if (options?.maxAgeSeconds !== undefined) headers['cache-control'] = `max-age=${options.maxAgeSeconds}`;
  try {
    const response = await withEither(timeout, given, (signal) =>
      httpSend({
        method,
        url: `${baseUrl}${path}${toSearch(query)}`,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
      }),
    );
    if (response.status >= 300 && response.status < 400)
      return lost('connection_failed', `${baseUrl} redirects to another address (${response.status}).`);
    return { kind: 'response', ...response };
  } catch (error) {
    given?.throwIfAborted();
    if (timeout.aborted) return lost('timeout', `${baseUrl} did not respond within ${timeoutMs} ms.`);
    return lost('connection_failed', `${baseUrl} cannot be reached: ${describeError(error)}.`);
  }
}

/**
 * Runs `work` with a signal that is aborted when either of two signals is. `AbortSignal.any` is not used, because in
 * Node.js 20 each call of it leaves memory with a signal that lives longer, such as the signal of a caller.
 */
async function withEither<T>(
  timeout: AbortSignal,
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (given === undefined) return work(timeout);
  const either = new AbortController();
  const abort = () => either.abort();
  timeout.addEventListener('abort', abort);
  given.addEventListener('abort', abort);
  try {
    return await work(either.signal);
  } finally {
    timeout.removeEventListener('abort', abort);
    given.removeEventListener('abort', abort);
  }
}

/**
 * Creates an error without a `cause`, because the error of the HTTP library can contain the request headers with the
 * token.
 */
function lost(code: ConnectionError['code'], message: string): Outcome {
  return { kind: 'lost', error: new ConnectionError(code, message) };
}

/**
 * Returns the header `Authorization`. A key can contain non-ASCII characters, but header values are bytes. The key is
 * therefore encoded as UTF-8, with one character for each byte.
 * @throws TypeError if the token contains an ASCII control character other than a tab
 */
function authorizationOf(token: string): string {
  if (/[^\t\x20-\x7e\x80-\uffff]/.test(token))
    throw new TypeError('The credential contains a control character.');
  return `Bearer ${String.fromCharCode(...new TextEncoder().encode(token))}`;
}

/** Builds the query string. Undefined members are omitted. A list repeats its name for each item. */
function toSearch(query: object | undefined): string {
  const pairs = Object.entries((query ?? {}) as Query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function retryWaitMs(
  outcome: Outcome,
  { method, idempotent = method !== 'POST' && method !== 'PATCH', options }: ApiRequest,
  { transport, tries }: { transport: TransportOptions; tries: number },
): number | undefined {
  const again = outcome.kind === 'lost' || outcome.status === 429 || outcome.status === 503;
  if (!again || !idempotent || options?.ifMatch !== undefined) return undefined;
  const retryAfterMs =
    outcome.kind === 'lost' ? undefined : retryAfterOf(outcome.headers, transport.clock.now());
  const { maxTries, maxRetryAfterMs, random } = transport;
  return nextRetryMs({ tries, maxTries, retryAfterMs, maxRetryAfterMs, random: random() });
}

function retryAfterOf(headers: Headers, nowMs: number): number | undefined {
  return parseRetryAfterMs(headers.get('retry-after'), nowMs);
}

function errorOf(outcome: Outcome, nowMs: number): Error {
  if (outcome.kind === 'lost') return outcome.error;
  const { status, headers, text } = outcome;
  return toApiError({
    status,
    text,
    isProblem: isProblem(outcome),
    retryAfterMs: retryAfterOf(headers, nowMs),
  });
}

/** Returns true for an error response of the API. Another server, such as a proxy, can respond instead of the API. */
function isProblem(outcome: Outcome): outcome is Extract<Outcome, { kind: 'response' }> {
  if (outcome.kind === 'lost') return false;
  return outcome.headers.get('content-type')?.startsWith('application/problem+json') === true;
}

function parse<T>({ status, text }: { status: number; text: string }): T {
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new ConnectionError(
      'invalid_response',
      `The response (${status}) is not JSON. Check that the address is the API’s.`,
      {
        cause,
      },
    );
  }
}
