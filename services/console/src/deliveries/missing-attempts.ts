import type { DeliveryWithAttempts } from '@tocsin/client/browser';

type Attempts = Pick<DeliveryWithAttempts, 'attempts' | 'attempts_made' | 'attempts_expired'>;

/**
 * Returns a sentence about missing attempts, or undefined if none is missing. Attempts are missing if they have
 * expired, or because the API returns only the latest 100, or fewer if their texts are long.
 */
export function describeMissingAttempts({
  attempts,
  attempts_made,
  attempts_expired,
}: Attempts): string | undefined {
  const missing = attempts_made - attempts.length;
  if (missing <= 0) return undefined;
  if (attempts_expired && attempts.length === 0)
    return 'The attempts are no longer stored, because they are older than this deployment keeps them.';
  const subject = missing === 1 ? 'The first attempt is' : `The first ${missing} attempts are`;
  return attempts_expired
    ? `${subject} no longer stored: this deployment keeps attempts for a limited time.`
    : `${subject} not shown: this page shows the latest ${attempts.length}.`;
}
