import type { Webhook } from '@tocsin/client/browser';

/**
 * Returns the webhooks that need attention: first those that cannot be decrypted, then paused ones, then failing ones,
 * then healthy ones with failures in the last 24 hours.
 */
export function rankByAttention(webhooks: readonly Webhook[]): Webhook[] {
  return webhooks
    .filter((webhook) => rankOf(webhook) !== undefined)
    .sort(
      (a, b) =>
        rankOf(a)! - rankOf(b)! ||
        (a.health.success_rate_24h ?? 1) - (b.health.success_rate_24h ?? 1) ||
        a.name.localeCompare(b.name),
    );
}

function rankOf({ health, undecryptable }: Webhook): number | undefined {
  if (undecryptable === true) return 0;
  if (health.state === 'paused') return 1;
  if (health.state === 'failing') return 2;
  return health.state === 'healthy' && (health.success_rate_24h ?? 1) < 1 ? 3 : undefined;
}
