import type { CreateRedelivery, Redelivery } from '../../api/schemas.js';
import type { PlatformContext } from '../action.js';
import { type FilterFlags, filterOf } from '../delivery-filters.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { forEachId } from '../for-each-id.js';
import { printable } from '../text.js';

export interface RedeliverFlags extends FilterFlags {
  wait: boolean;
  all?: boolean;
}

/** Sends deliveries again: by id, or as a job for a filter. */
export async function redeliver(context: PlatformContext<RedeliverFlags>): Promise<void> {
  const { args: ids, options } = context;
  const filter: CreateRedelivery = Object.fromEntries(
    Object.entries({ ...filterOf(options), all: options.all }).filter(([, value]) => value !== undefined),
  );
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
  if (filtered) await redeliverMatching(context, filter);
  else await redeliverEach(context);
}

function redeliverEach({ platform, args: ids, out, signal }: PlatformContext<RedeliverFlags>): Promise<void> {
  return forEachId(ids, {
    out,
    signal,
    work: (id) => platform.deliveries.redeliver(id, { signal }),
    show: ({ id, webhook_name }) => `${id} is on its way to ${printable(webhook_name)}.`,
  });
}

const pollMs = 1_000;

async function redeliverMatching(
  { platform, options, io, out, signal }: PlatformContext<RedeliverFlags>,
  filter: CreateRedelivery,
): Promise<void> {
  let job = await platform.redeliveries.create(filter, { signal });
  out.note(`Job ${job.id}: ${job.matched} deliveries match.`);
  while (options.wait && job.status === 'running') {
    out.progress(`${job.done} of ${job.matched} on their way… (Ctrl-C stops watching, not the job)`);
    await io.clock.sleep(pollMs, signal);
    job = await platform.redeliveries.get(job.id, { signal });
  }
  out.progress(undefined);
  out.value(job, () => out.line(describe(job)));
}

function describe({ id, status, done }: Redelivery): string {
  if (status === 'running') return `Job ${id} goes on.`;
  return `${done} deliveries are on their way${status === 'cancelled' ? '; the job was cancelled' : ''}.`;
}
