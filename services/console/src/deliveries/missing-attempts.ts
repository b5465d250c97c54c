import type { DeliveryWithAttempts } from '@tocsin/client/browser';

type Attempts = Pick<DeliveryWithAttempts, 'attempts' | 'attempts_made' | 'attempts_expired'>;

/**
 * Says which attempts are missing and why; undefined if none is. Attempts are removed after a time, the oldest first, and
 * the API returns the latest 100, or fewer with large texts.
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
