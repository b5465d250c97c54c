/** `forbidden`: login or permission. `undeclared`: an exchange or queue that does not exist. */
export type Refusal = 'forbidden' | 'undeclared';

/** Reply codes of AMQP 0-9-1: ACCESS_REFUSED, NOT_FOUND, NOT_ALLOWED. */
const byCode: Readonly<Record<number, Refusal>> = { 403: 'forbidden', 404: 'undeclared', 530: 'forbidden' };

/** Classifies an error of amqplib as a refusal by the broker, which a new connection does not repair. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'number') return byCode[error.code];
  // For a refused login amqplib gives the reply code in the text only.
  return /\bACCESS.REFUSED\b/.test(error.message) ? 'forbidden' : undefined;
}
