/**
 * Returns the innermost cause of an error with its code. Examples: `connect ECONNREFUSED 127.0.0.1:9`,
 * `getaddrinfo ENOTFOUND login.example`, `self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)`. The outer error often
 * says only `fetch failed`.
 */
export function describeError(error: unknown): string {
  if (!isErrorLike(error)) return String(error);
  const { message, code, cause, errors } = error;
  // For a host name with several addresses, Node throws an AggregateError with an empty message and one error for each
  // address.
  if (Array.isArray(errors) && errors.length > 0)
    return [...new Set(errors.map(describeError))].join(' and ');
  if (isErrorLike(cause)) return describeError(cause);
  return typeof code !== 'string' || message.includes(code) ? message : `${message} (${code})`;
}

/**
 * Returns true for an object with a message. `instanceof Error` is false for errors of another realm, such as those of
 * Node's `fetch` in a vm context.
 */
function isErrorLike(
  value: unknown,
): value is { message: string; code?: unknown; cause?: unknown; errors?: unknown } {
  return (
    typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
  );
}
