import { withoutUndefined } from '@tocsin/kit';
import type { JobsApi } from '../api/jobs.js';
import type { PlatformContext } from './action.js';
import { CommandFailure, exitCodes } from './exit-codes.js';
import { forEachId } from './for-each-id.js';
import { type Job, type JobTexts, runJob } from './run-job.js';

interface Work<Filter, Done, J extends Job> extends JobTexts {
  /** Filter of the job. If all its members are undefined, the user has given no filter. */
  filter: Filter;
  jobs: JobsApi<Filter, J>;
  /** Message for a user who gave neither ids nor a filter, or who gave both. */
  usage: string;
  /** Processes one id. */
  each(id: string): Promise<Done>;
  /** Returns the message for the result of one id. */
  show(done: Done): string;
}

/** Processes the given ids one by one, or starts a job for everything that matches the filter. */
export async function forIdsOrMatches<Filter extends object, Done, J extends Job>(
  { args: ids, options: { wait }, io, out, signal }: PlatformContext<{ wait: boolean }>,
  { filter, usage, each, show, ...job }: Work<Filter, Done, J>,
): Promise<void> {
  const given = withoutUndefined(filter);
  if (Object.keys(given).length > 0 === ids.length > 0) throw new CommandFailure(exitCodes.usage, usage);
  if (ids.length > 0) return forEachId(ids, { out, signal, work: each, show });
  await runJob({ ...job, filter: given, wait, io, out, signal });
}
