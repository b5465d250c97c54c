import { PublishError } from '@tocsin/messaging';
import { ApiError, ConnectionError } from '../api/errors.js';
import { AlertNotPublishedError } from '../publish/alert-publisher.js';
import { BrokerRejection, InvalidAlert } from '../publish/amqp-publisher.js';
import { SessionError } from '../sessions/session-error.js';

/** Exit codes of the command. Scripts depend on these numbers, so they must not change. `tocsin --help` lists them. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  unauthenticated: 3,
  forbidden: 4,
  notFound: 5,
  invalid: 6,
  conflict: 7,
  unavailable: 8,
  interrupted: 130,
} as const;

export const exitCodesHelp = `Exit codes:
  0  done
  1  failure: a failed test, a template that does not render, an alert that was not confirmed,
     an output that cannot be written
  2  the command line is invalid
  3  not logged in, or the credential was rejected
  4  the credential does not have the permission
  5  the id does not exist
  6  the request is invalid
  7  the request conflicts with the current state
  8  the service or the provider is unavailable, or responds that a retry is needed
  130  interrupted`;

/** A failure that the command itself detects. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof AlertNotPublishedError) return exitCodeOf(error.cause);
  if (error instanceof SessionError) return exitCodeOfSession(error);
  if (error instanceof BrokerRejection) return byRejection[error.rejected];
  if (error instanceof InvalidAlert) return exitCodes.invalid;
  if (error instanceof ConnectionError || error instanceof PublishError) return exitCodes.unavailable;
  if (error instanceof ApiError)
    return byStatus[error.status] ?? (error.status >= 500 ? exitCodes.unavailable : 1);
  return exitCodes.failed;
}

const byRejection = {
  login: exitCodes.unauthenticated,
  permission: exitCodes.forbidden,
  topology: exitCodes.failed,
} as const;

const byStatus: Readonly<Record<number, number>> = {
  400: exitCodes.invalid,
  401: exitCodes.unauthenticated,
  403: exitCodes.forbidden,
  404: exitCodes.notFound,
  408: exitCodes.unavailable,
  409: exitCodes.conflict,
  412: exitCodes.conflict,
  413: exitCodes.invalid,
  415: exitCodes.invalid,
  422: exitCodes.invalid,
  429: exitCodes.unavailable,
  431: exitCodes.invalid,
};

function exitCodeOfSession({ code }: SessionError): number {
  if (code === 'provider_unreachable') return exitCodes.unavailable;
  return code === 'insecure_issuer' ? exitCodes.usage : exitCodes.unauthenticated;
}
