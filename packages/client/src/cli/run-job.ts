import { maxCountedMatches } from '@tocsin/contracts';
import type { JobsApi } from '../api/jobs.js';
import type { Redelivery } from '../api/schemas.js';
import type { Io } from './io.js';
import type { Output } from './output.js';

export type Job = Omit<Redelivery, 'filter'>;

export interface JobTexts {
  /**
   * Returns the message about a job that has ended, such as "3 deliveries are on their way". `count` is the number of
   * deliveries or alerts that the job has changed.
   */
  describe: (count: number) => string;
  /** Plural noun for the entries that match the filter. */
  noun: 'deliveries' | 'alerts';
}

interface JobContext<Filter, J extends Job> extends JobTexts {
  jobs: JobsApi<Filter, J>;
  filter: Filter;
  /** If true, the command waits until the job has ended. If false, it ends when the API has created the job. */
  wait: boolean;
  io: Io;
  out: Output;
  signal: AbortSignal;
}

const pollMs = 1_000;

/** Starts a job. With `wait`, shows its progress until it has ended. Ctrl-C ends the command, but not the job. */
export async function runJob<Filter, J extends Job>(context: JobContext<Filter, J>): Promise<void> {
  const { jobs, filter, wait, describe, noun, io, out, signal } = context;
  let job = await jobs.create(filter, { signal });
  out.note(`Job ${job.id}: ${describeMatched(job)} ${noun} match.`);
  while (wait && job.status === 'running') {
    out.progress(`${job.done} of ${describeMatched(job)}… (Ctrl-C stops watching, not the job)`);
    await io.clock.sleep(pollMs, signal);
    job = await jobs.get(job.id, { signal });
  }
  out.progress(undefined);
  const { id, status, done } = job;
  const result =
    status === 'running'
      ? `Job ${id} is still running. Follow it with: tocsin jobs get ${id}`
      : `${describe(done)}${status === 'cancelled' ? '; the job was cancelled' : ''}.`;
  out.value(job, () => out.line(result));
}

/** Returns the number of matches of a job, or "at least" and the number up to which the API counts them. */
export function describeMatched({ matched }: Pick<Job, 'matched'>): string {
  return `${matched >= maxCountedMatches ? 'at least ' : ''}${matched}`;
}
