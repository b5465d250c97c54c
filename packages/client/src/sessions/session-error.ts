import { TocsinError } from '../tocsin-error.js';

/**
 * - `provider_unreachable`: no answer, or none that can be used; worth another try
 * - `provider_refused`: the provider said no, `reason` is its OAuth error code
 * - `login_required`: nobody is logged in, or the login has ended
 * - `access_denied`, `expired_token`: how a device login can end (RFC 8628 §3.5)
 * - `insecure_issuer`: plain http to anything but this machine
 * - `session_closed`: the thread that owned a shared session is gone
 */
export type SessionErrorCode =
  | 'provider_unreachable'
  | 'provider_refused'
  | 'login_required'
  | 'access_denied'
  | 'expired_token'
  | 'insecure_issuer'
  | 'session_closed';

/** A session that has no token to give. It never holds a secret or a token. */
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
