import type { CreateRedelivery } from '../../api/schemas.js';
import type { PlatformContext } from '../action.js';
import { type FilterFlags, filterOf } from '../delivery-filters.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { forEachId } from '../for-each-id.js';
import { givenOf, runJob } from '../run-job.js';
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
  const { args: ids, options } = context;
  const filter = givenOf({ ...filterOf(options), all: options.all }) as CreateRedelivery;
  const filtered = Object.keys(filter).length > 0;
  if (filtered === ids.length > 0) {
    throw new CommandFailure(
      exitCodes.usage,
      'Give the ids of deliveries, or at least one filter such as --webhook ID.',
    );
  }
  const { status, ...others } = filter;
  if (status !== undefined && Object.keys(others).length === 0) {
    throw new CommandFailure(
      exitCodes.usage,
      `Give a filter besides --status, or --all to send every ${status} delivery of the workspace again.`,
    );
  }
  if (!filtered) return redeliverEach(context);
  const { platform, io, out, signal } = context;
  await runJob({
    jobs: platform.redeliveries,
    filter,
    wait: options.wait,
    noun: 'deliveries',
    describe: (count) => `${count} deliveries are on their way`,
    io,
    out,
    signal,
  });
}

function redeliverEach({ platform, args: ids, out, signal }: PlatformContext<RedeliverFlags>): Promise<void> {
  return forEachId(ids, {
    out,
    signal,
    work: (id) => platform.deliveries.redeliver(id, { signal }),
    show: ({ id, webhook_name }) => `${id} is on its way to ${printable(webhook_name)}.`,
  });
}
