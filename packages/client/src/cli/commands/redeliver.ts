import type { CreateRedelivery } from '../../api/schemas.js';
import type { PlatformContext } from '../action.js';
import { type FilterFlags, filterOf } from '../delivery-filters.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { forIdsOrMatches } from '../for-ids-or-matches.js';
import { printable } from '../text.js';

export interface RedeliverFlags extends FilterFlags {
  wait: boolean;
  all?: boolean;
}

/**
 * Redelivers the deliveries with the given ids, one by one, or starts a job that redelivers all deliveries that match a
 * filter.
 */
export async function redeliver(context: PlatformContext<RedeliverFlags>): Promise<void> {
  const { args: ids, options, platform, signal } = context;
  const { status, ...others } = { ...filterOf(options), all: options.all };
  const hasOthers = Object.values(others).some((value) => value !== undefined);
  if (ids.length === 0 && status !== undefined && !hasOthers) {
    throw new CommandFailure(
      exitCodes.usage,
      `Give a filter besides --status, or --all to send every ${status} delivery of the workspace again.`,
    );
  }
  await forIdsOrMatches(context, {
    // The type of `status` also allows the states of open deliveries. The API rejects these states.
    filter: { ...others, status } as CreateRedelivery,
    usage: 'Give the ids of deliveries, or at least one filter such as --webhook ID.',
    each: (id) => platform.deliveries.redeliver(id, { signal }),
    show: ({ id, webhook_name }) => `${id} is on its way to ${printable(webhook_name)}.`,
    jobs: platform.redeliveries,
    noun: 'deliveries',
    describe: (count) => `${count} deliveries are on their way`,
  });
}
