/**
 * Innermost reason of an error with its code: `connect ECONNREFUSED 127.0.0.1:9`, `getaddrinfo ENOTFOUND login.example` or
 * `self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)`, and not the `fetch failed` around it.
 */
export function describeError(error: unknown): string {
  if (!isErrorLike(error)) return String(error);
  const { message, code, cause, errors } = error;
  // A name with several addresses fails with one error for each, and an empty message.
  if (Array.isArray(errors) && errors.length > 0)
    return [...new Set(errors.map(describeError))].join(' and ');
  if (isErrorLike(cause)) return describeError(cause);
  return typeof code !== 'string' || message.includes(code) ? message : `${message} (${code})`;
}

/** Errors of `fetch` can belong to another realm, so `instanceof` does not recognize them. */
function isErrorLike(
  value: unknown,
): value is { message: string; code?: unknown; cause?: unknown; errors?: unknown } {
  return (
    typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
  );
}
