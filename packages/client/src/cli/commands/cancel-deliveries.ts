import type { PlatformContext } from '../action.js';
import { forIdsOrMatches } from '../for-ids-or-matches.js';
import { printable } from '../text.js';

export interface CancelFlags {
  webhook?: string;
  alert?: string;
  rule?: string;
  since?: string;
  until?: string;
  wait: boolean;
  all?: boolean;
}

/**
 * Cancels the deliveries with the given ids, one by one, or starts a job that cancels all deliveries that match a
 * filter.
 */
export async function cancelDeliveries(context: PlatformContext<CancelFlags>): Promise<void> {
  const { options, platform, signal } = context;
  const { webhook, alert, rule, since, until, all } = options;
  await forIdsOrMatches(context, {
    filter: { webhook_id: webhook, alert_id: alert, alert_rule_id: rule, since, until, all },
    usage: 'Give the ids of deliveries, or at least one filter such as --webhook ID, or --all.',
    each: (id) => platform.deliveries.cancel(id, { signal }),
    show: ({ id, webhook_name }) => `${id} to ${printable(webhook_name)} is cancelled.`,
    jobs: platform.cancellations,
    noun: 'deliveries',
    describe: (count) => `${count} deliveries are cancelled`,
  });
}
