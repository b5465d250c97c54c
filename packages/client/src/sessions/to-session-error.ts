import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { SessionError } from './session-error.js';

/** Converts an error of openid-client. `doing` starts the message: "The token could not be refreshed". */
export function toSessionError(error: unknown, doing: string): SessionError {
  if (error instanceof SessionError) return error;
  const inner = innermostSessionError(error);
  if (inner !== undefined) return inner;
  if (error instanceof ResponseBodyError) return fromOAuthError(error, doing);
  if (error instanceof WWWAuthenticateChallengeError) {
    return new SessionError('provider_refused', `${doing}: the provider answered ${error.status}.`, {
      cause: error,
    });
  }
  const why = error instanceof ClientError ? describe(error) : String(error);
  return new SessionError('provider_unreachable', `${doing}: ${why}.`, { cause: error });
}

function fromOAuthError({ error: reason, error_description, status }: ResponseBodyError, doing: string) {
  const code = status >= 500 || status === 429 ? 'provider_unreachable' : 'provider_refused';
  const description = error_description === undefined ? '' : ` (${error_description})`;
  // The error is not passed as a cause: it holds the whole response.
  return new SessionError(code, `${doing}: ${reason}${description}.`, { reason });
}

/** A SessionError thrown inside the fetch function arrives wrapped. */
function innermostSessionError(error: unknown): SessionError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SessionError) return cause;
  }
  return undefined;
}

function describe(error: ClientError): string {
  const { cause } = error;
  if (cause instanceof Error) {
    const { cause: deeper } = cause;
    return deeper instanceof Error && deeper.message !== '' ? deeper.message : cause.message;
  }
  if (cause instanceof Response) return `the provider answered ${cause.status}`;
  return error.message;
}
