import type { CreateCancellation } from '../../api/schemas.js';
import type { PlatformContext } from '../action.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { forEachId } from '../for-each-id.js';
import { givenOf, runJob } from '../run-job.js';
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
  const { args: ids, options, platform, io, out, signal } = context;
  const { webhook, alert, rule, since, until, all, wait } = options;
  const filter: CreateCancellation = givenOf({
    webhook_id: webhook,
    alert_id: alert,
    alert_rule_id: rule,
    since,
    until,
    all,
  });
  if (Object.keys(filter).length > 0 === ids.length > 0)
    throw new CommandFailure(
      exitCodes.usage,
      'Give the ids of deliveries, or at least one filter such as --webhook ID, or --all.',
    );
  if (ids.length > 0)
    return forEachId(ids, {
      out,
      signal,
      work: (id) => platform.deliveries.cancel(id, { signal }),
      show: ({ id, webhook_name }) => `${id} to ${printable(webhook_name)} is cancelled.`,
    });
  const describe = (count: number) => `${count} deliveries are cancelled`;
  await runJob({ jobs: platform.cancellations, filter, wait, noun: 'deliveries', describe, io, out, signal });
}
