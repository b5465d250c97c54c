/** `forbidden`: the login or a permission was rejected. `undeclared`: the exchange or queue does not exist. */
export type Rejection = 'forbidden' | 'undeclared';

/** Reply codes of AMQP 0-9-1: ACCESS_REFUSED, NOT_FOUND, NOT_ALLOWED. */
const byCode: Readonly<Record<number, Rejection>> = { 403: 'forbidden', 404: 'undeclared', 530: 'forbidden' };

/**
 * Returns the kind of rejection for an error with which the broker rejected the client and would reject it again on a
 * new connection. Returns undefined for every other value.
 */
export function rejectionOf(error: unknown): Rejection | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'number') return byCode[error.code];
  // amqplib gives the reply code of a rejected login only in the text of the error.
  return /\bACCESS.REFUSED\b/.test(error.message) ? 'forbidden' : undefined;
}
