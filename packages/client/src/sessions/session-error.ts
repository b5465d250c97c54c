import { TocsinError } from '../tocsin-error.js';

/**
 * Reasons for the failure of a session:
 * - `provider_unreachable`: no response, or an unusable one; a retry may succeed
 * - `provider_rejected`: the provider rejected the request, or the issuer is not a URL; `reason` is the OAuth error
 *   code, if there is one
 * - `login_required`: there is no login, or the login has expired
 * - `access_denied`, `expired_token`: failures of a device login (RFC 8628 §3.5)
 * - `insecure_issuer`: plain http to a host that is not loopback
 * - `session_closed`: the thread that owns a shared session has ended
 */
export type SessionErrorCode =
  | 'provider_unreachable'
  | 'provider_rejected'
  | 'login_required'
  | 'access_denied'
  | 'expired_token'
  | 'insecure_issuer'
  | 'session_closed';

/** Failure of a login, a logout or a request for a token. The error never contains a secret or a token. */
export class SessionError extends TocsinError {
  readonly code: SessionErrorCode;
  /** The provider's OAuth error code, for example `invalid_client`. */
  readonly reason: string | undefined;

  constructor(code: SessionErrorCode, message: string, options: { reason?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SessionError';
    this.code = code;
    this.reason = options.reason;
  }
}
