import type { DeliveryWithAttempts } from '@tocsin/client/browser';

type Attempts = Pick<DeliveryWithAttempts, 'attempts' | 'attempts_made' | 'attempts_expired'>;

/**
 * Returns a sentence about the attempts that the page of a delivery does not show, or undefined if the page shows all.
 * An attempt is missing if it is no longer stored, or if it is not among the latest attempts that the API returns: at
 * most 100, and fewer if their texts are long.
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
