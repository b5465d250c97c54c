import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { describeError } from '../describe-error.js';
import { SessionError } from './session-error.js';

/**
 * Converts an error of openid-client to a SessionError. `doing` is the start of its message, such as "The token could
 * not be refreshed".
 */
export function toSessionError(error: unknown, doing: string): SessionError {
  if (error instanceof SessionError) return error;
  const inner = findSessionError(error);
  if (inner !== undefined) return inner;
  if (error instanceof ResponseBodyError) return fromOAuthError(error, doing);
  if (error instanceof WWWAuthenticateChallengeError) {
    return new SessionError(
      'provider_rejected',
      `${doing}: the provider responded with status ${error.status}.`,
      {
        cause: error,
      },
    );
  }
  return new SessionError('provider_unreachable', `${doing}: ${reasonOf(error)}.`, { cause: error });
}

function fromOAuthError({ error: reason, error_description, status }: ResponseBodyError, doing: string) {
  const code = status >= 500 || status === 429 ? 'provider_unreachable' : 'provider_rejected';
  const description = error_description === undefined ? '' : ` (${error_description})`;
  // The error of openid-client is not passed as the cause, because it contains the whole response, which can include
  // tokens.
  return new SessionError(code, `${doing}: ${reason}${description}.`, { reason });
}

/** Finds a SessionError in the chain of causes, because openid-client wraps errors of the fetch function. */
function findSessionError(error: unknown): SessionError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SessionError) return cause;
  }
  return undefined;
}

function reasonOf(error: unknown): string {
  const isResponse = error instanceof ClientError && error.cause instanceof Response;
  return isResponse
    ? `the provider responded with status ${(error.cause as Response).status}`
    : describeError(error);
}
