import { signRequest } from '@tocsin/egress';

/** Options of a webhook, in addition to its url, headers and body. */
export interface RequestOptions {
  /** Waits before the second attempt, the third and so on, in milliseconds; undefined for the schedule of the deployment. */
  retryScheduleMs: readonly number[] | undefined;
  timeoutMs: number | undefined;
  rateLimit: { requests: number; periodMs: number } | undefined;
  /** Keys that sign each request; undefined for a webhook that does not sign. */
  signingKeys: SigningKey[] | undefined;
  /** Name of the header that carries the delivery's id. */
  idempotencyHeader: string | undefined;
  /** Times in which a person had paused the webhook, in Unix milliseconds. */
  manualPauses: readonly (readonly [fromMs: number, toMs: number])[];
}

export interface SigningKey {
  key: Buffer;
  /** Unix time in milliseconds. */
  expiresAtMs: number;
}

export function validKeys(keys: SigningKey[], nowMs: number): Buffer[] {
  return keys.filter(({ expiresAtMs }) => expiresAtMs > nowMs).map(({ key }) => key);
}

/** Header lines of one attempt: its signature and the id of the delivery. */
export function optionLines(
  { signingKeys, idempotencyHeader }: RequestOptions,
  { deliveryId, body, atMs }: { deliveryId: string; body: string; atMs: number },
): string[] {
  const signature =
    signingKeys === undefined
      ? []
      : signRequest({ id: deliveryId, body, atMs, keys: validKeys(signingKeys, atMs) });
  return idempotencyHeader === undefined ? signature : [...signature, idempotencyHeader, deliveryId];
}

/** Part of the last `ageMs` milliseconds in which the webhook was paused by hand. */
export function pausedMsOf(
  { manualPauses }: RequestOptions,
  { ageMs, nowMs }: { ageMs: number; nowMs: number },
) {
  return manualPauses.reduce(
    (sum, [fromMs, toMs]) => sum + Math.max(0, Math.min(nowMs, toMs) - Math.max(nowMs - ageMs, fromMs)),
    0,
  );
}
