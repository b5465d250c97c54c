import { maxCountedMatches } from '@tocsin/contracts/browser';
import type { ReactNode } from 'react';
import { type Job, type JobFilters, type JobKind, useJobActions, useJobs } from '../api/index.js';
import { Button, ConfirmButton, Failure, Notice, RelativeTime } from '../ui/index.js';

interface JobWords {
  action: string;
  running: string;
  done: string;
  /** Text of the button that cancels a running job. */
  stop: string;
}

const words: Readonly<Record<JobKind, JobWords>> = {
  redeliveries: {
    action: 'Redeliver',
    running: 'Redelivering',
    done: 'Redelivered',
    stop: 'Cancel',
  },
  dispatches: {
    action: 'Dispatch',
    running: 'Dispatching',
    done: 'Dispatched',
    stop: 'Cancel',
  },
  cancellations: {
    action: 'Cancel them',
    running: 'Cancelling',
    done: 'Cancelled',
    stop: 'Stop',
  },
};

export interface BulkJobProps<Kind extends JobKind> {
  kind: Kind;
  /**
   * Filter of the job. Undefined if jobs do not support the filters of the page, or if the job would change nothing.
   * The button is then hidden.
   */
  request: JobFilters[Kind] | undefined;
  /** The entries that the job changes, for example `the failed deliveries that match`. */
  things: string;
  /** The active filters as text. */
  chips: readonly string[];
  /** Description of the effect, shown in the confirmation dialog. */
  children: ReactNode;
}

/**
 * Button that starts a job for all entries that match the filters of the page. Below the button, the component shows the
 * running jobs of the same kind and the job that the user has started with this button. The page renders it only for
 * users with the permission `delivery_redeliver`.
 */
export function BulkJob<Kind extends JobKind>({
  kind,
  request,
  things,
  chips,
  children,
}: BulkJobProps<Kind>) {
  const jobs = useJobs(kind);
  const { start, cancel } = useJobActions(kind);
  const { action } = words[kind];
  const verb = kind === 'cancellations' ? 'Cancel' : action;
  const recent = (jobs.data ?? []).filter((job) => job.status === 'running' || job.id === start.data?.id);
  const error = start.error ?? cancel.error ?? jobs.error;
  return (
    <>
      {request !== undefined && (
        <div>
          <ConfirmButton
            kind={kind === 'cancellations' ? 'danger' : 'plain'}
            title={`${verb} ${things}?`}
            question={
              <>
                <p>
                  {chips.length === 0
                    ? 'No filter is set, so this applies to the whole workspace.'
                    : `Filter: ${chips.join(', ')}.`}
                </p>
                {children}
              </>
            }
            action={action}
            isPending={start.isPending}
            onConfirm={() => start.mutate(request)}
          >
            {start.isPending ? 'Starting …' : `${verb} ${things}`}
          </ConfirmButton>
        </div>
      )}
      {error !== null && <Failure error={error} />}
      {recent.map((job) => (
        <JobState
          key={job.id}
          job={job}
          words={words[kind]}
          isStopping={cancel.isPending && cancel.variables === job.id}
          onStop={() => cancel.mutate(job.id)}
        />
      ))}
    </>
  );
}

interface JobStateProps {
  job: Job;
  words: JobWords;
  isStopping: boolean;
  onStop(): void;
}

function JobState({ job, words: { running, done: ended, stop }, isStopping, onStop }: JobStateProps) {
  const { matched, done, status, created_at } = job;
  const isCounted = matched < maxCountedMatches;
  const counts = `${done.toLocaleString('en')} of ${matched.toLocaleString('en')}${isCounted ? '' : '+'}`;
  // Without a value, the bar shows that the job runs, but not how far it is.
  const progress = isCounted ? { max: Math.max(matched, 1), value: done } : {};
  const text = {
    running: `${running}: ${counts}`,
    done: `${ended} ${counts}`,
    cancelled: `Stopped after ${counts}`,
  };
  return (
    <Notice tone={status === 'done' ? 'good' : 'wait'}>
      <div className="row" role="status">
        <span>
          {text[status]}, started <RelativeTime at={created_at} />
        </span>
        {status === 'running' && (
          <>
            <progress {...progress} aria-label={ended} />
            <Button isPending={isStopping} onPress={onStop}>
              {isStopping ? 'Stopping …' : stop}
            </Button>
          </>
        )}
      </div>
    </Notice>
  );
}
