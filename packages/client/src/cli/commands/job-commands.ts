import type { Command } from 'commander';
import { NotFoundError } from '../../api/errors.js';
import type { PlatformClient } from '../../api/platform-api.js';
import type { Cancellation, Dispatch, Redelivery } from '../../api/schemas.js';
import { runsInWorkspace, withExamples } from '../action.js';
import type { Io } from '../io.js';
import type { Output } from '../output.js';
import { choice } from '../parse-values.js';
import { describeMatched } from '../run-job.js';
import { type PageFlags, pageSizeOf, showList, withPageFlags } from '../show-list.js';
import type { Column } from '../table.js';
import { shortTime } from '../text.js';

type Job = Redelivery | Dispatch | Cancellation;

const kinds = ['redelivery', 'dispatch', 'cancellation'] as const;
type Kind = (typeof kinds)[number];

/** Adds the commands for the jobs that `deliveries redeliver`, `alerts dispatch` and `deliveries cancel` start. */
export function addJobCommands(jobs: Command, io: Io): void {
  const list = jobs
    .command('list')
    .description('list the jobs of one kind, newest first')
    .addOption(choice('--kind <kind>', { of: kinds, description: 'kind of the jobs' }).makeOptionMandatory());
  withPageFlags(list, { limit: 50 });
  runsInWorkspace<ListFlags>(list, io, async ({ platform, options, out, signal }) => {
    const found = jobsOf(platform)[options.kind].list({ limit: pageSizeOf(options) }, { signal });
    await showList<Job>(found, { out, options, columns, none: 'No jobs.' });
  });
  withExamples(list, ['tocsin jobs list --kind redelivery']);

  const get = jobs.command('get').argument('<id>').description('show the progress of a job');
  runsInWorkspace(get, io, async ({ platform, args: [id = ''], out, signal }) => {
    show(await inItsKind(platform, (api) => api.get(id, { signal })), out);
  });

  const cancel = jobs
    .command('cancel')
    .argument('<id>')
    .description('end a running job; what it has done already stays done');
  runsInWorkspace(cancel, io, async ({ platform, args: [id = ''], out, signal }) => {
    show(await inItsKind(platform, (api) => api.cancel(id, { signal })), out);
  });
}

interface ListFlags extends PageFlags {
  kind: Kind;
}

function jobsOf({ redeliveries, dispatches, cancellations }: PlatformClient) {
  return { redelivery: redeliveries, dispatch: dispatches, cancellation: cancellations };
}

type JobApi = ReturnType<typeof jobsOf>[Kind];

/**
 * Calls `call` with the API of one kind of job after the other, until one of these APIs finds the job. This is needed
 * because the id of a job does not contain its kind.
 * @throws NotFoundError if no kind of job has a job with this id
 */
async function inItsKind(platform: PlatformClient, call: (api: JobApi) => Promise<Job>): Promise<Job> {
  let notFound: unknown;
  for (const api of Object.values(jobsOf(platform))) {
    try {
      return await call(api);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      notFound = error;
    }
  }
  throw notFound;
}

function show(job: Job, out: Output): void {
  out.value(job, () => out.facts({ ...job, matched: describeMatched(job), filter: filterOf(job) }));
}

function filterOf({ filter }: Job): string {
  return Object.entries(filter)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

const columns: Column<Job>[] = [
  { title: 'ID', whole: true, value: ({ id }) => id },
  { title: 'CREATED', whole: true, value: ({ created_at }) => shortTime(created_at) },
  { title: 'STATUS', whole: true, value: ({ status }) => status },
  { title: 'DONE', value: (job) => `${job.done} of ${describeMatched(job)}` },
  { title: 'FILTER', value: filterOf },
];
