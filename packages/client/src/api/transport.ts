import type { Clock } from '../clock.js';
import type { Session } from '../sessions/session.js';
import { ConnectionError, toApiError } from './errors.js';
import { nextRetryMs, parseRetryAfterMs } from './retry.js';

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: object | undefined;
  body?: unknown;
  /** Whether sending it twice does what sending it once does; true of GET, PUT and DELETE unless said otherwise. */
  idempotent?: boolean;
  options?: CallOptions | undefined;
}

/** What every call takes. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface ApiAnswer<T> {
  headers: Headers;
  body: T;
}

/** Sends a request until it is answered for good. @throws ApiError, ConnectionError, SessionError */
export type Send = <T>(request: ApiRequest) => Promise<ApiAnswer<T>>;

export interface TransportOptions {
  baseUrl: string;
  credential: Session | string;
  clock: Clock;
  random(): number;
  /** Of one try, the answer's body included. */
  timeoutMs: number;
  maxTries: number;
}

type Outcome =
  | { kind: 'answer'; status: number; headers: Headers; text: string }
  | { kind: 'lost'; error: ConnectionError };

/**
 * HTTP as this API speaks it: idempotent requests are sent again after 429, 503 and a lost connection, any request once
 * after a 401 with another token. Redirects are refused: a token goes to the given origin only.
 */
export function createTransport(transport: TransportOptions): Send {
  const { credential, clock } = transport;
  const session = typeof credential === 'string' ? undefined : credential;

  return async <T>(request: ApiRequest): Promise<ApiAnswer<T>> => {
    const signal = request.options?.signal;
    let token = await tokenOf(credential, signal);
    let replaced = session === undefined;
    for (let tries = 1; ; tries += 1) {
      const outcome = await exchange(transport, request, token);
      if (outcome.kind === 'answer' && outcome.status < 300)
        return { headers: outcome.headers, body: parse<T>(outcome) };
      if (session && !replaced && outcome.kind === 'answer' && outcome.status === 401) {
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

async function exchange(
  { baseUrl, timeoutMs }: TransportOptions,
  request: ApiRequest,
  token: string,
): Promise<Outcome> {
  const { method, path, query, body, options } = request;
  const authorization = authorizationOf(token);
  const timeout = AbortSignal.timeout(timeoutMs);
  const given = options?.signal;
  try {
    const response = await fetch(`${baseUrl}${path}${toSearch(query)}`, {
      method,
      redirect: 'error',
      signal: given === undefined ? timeout : AbortSignal.any([given, timeout]),
      headers: {
        accept: 'application/json',
        authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      kind: 'answer',
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    };
  } catch (cause) {
    given?.throwIfAborted();
    const error = timeout.aborted
      ? new ConnectionError('timeout', `${baseUrl} did not answer within ${timeoutMs} ms.`, { cause })
      : new ConnectionError('connection_failed', `${baseUrl} cannot be reached: ${innermost(cause)}.`, {
          cause,
        });
    return { kind: 'lost', error };
  }
}

/** A key need not be ASCII; fetch takes each character as a byte. Its own refusal would quote the credential. */
function authorizationOf(token: string): string {
  if (/[^\t\x20-\x7e\x80-\uffff]/.test(token))
    throw new TypeError('The credential holds a control character.');
  return `Bearer ${Buffer.from(token).toString('latin1')}`;
}

/** Undefined members are left out, lists are repeated. */
function toSearch(query: object | undefined): string {
  const pairs = Object.entries((query ?? {}) as Query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return innermost(error.cause);
  // A connection tried at several addresses has a list of reasons and no message.
  if (error instanceof AggregateError && error.message === '') return innermost(error.errors[0]);
  return error.message;
}

function retryWaitMs(
  outcome: Outcome,
  { method, idempotent = method !== 'POST' && method !== 'PATCH' }: ApiRequest,
  { transport, tries }: { transport: TransportOptions; tries: number },
): number | undefined {
  const again = outcome.kind === 'lost' || outcome.status === 429 || outcome.status === 503;
  if (!again || !idempotent) return undefined;
  const retryAfterMs =
    outcome.kind === 'lost' ? undefined : retryAfterOf(outcome.headers, transport.clock.now());
  return nextRetryMs({ tries, maxTries: transport.maxTries, retryAfterMs, random: transport.random() });
}

function retryAfterOf(headers: Headers, nowMs: number): number | undefined {
  return parseRetryAfterMs(headers.get('retry-after'), nowMs);
}

function errorOf(outcome: Outcome, nowMs: number): Error {
  if (outcome.kind === 'lost') return outcome.error;
  const { status, headers, text } = outcome;
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') === true;
  return toApiError({ status, text, isProblem, retryAfterMs: retryAfterOf(headers, nowMs) });
}

function parse<T>({ status, text }: { status: number; text: string }): T {
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new ConnectionError(
      'invalid_answer',
      `The answer (${status}) is not JSON: is this the API’s address?`,
      {
        cause,
      },
    );
  }
}
