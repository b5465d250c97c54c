import type { CreateRedelivery, Redelivery } from '@tocsin/client/browser';
import { Permitted, usePermission, useRedeliveries, useRedeliveryActions } from '../api/index.js';
import { Button, ConfirmButton, Failure, Notice, RelativeTime } from '../ui/index.js';
import { type FilterValues, toRedelivery } from './filters.js';

export interface RedeliverMatchingProps {
  filters: FilterValues;
  /** The filters in words. */
  chips: readonly string[];
  /** True: nothing matches. */
  isEmpty: boolean;
}

/** Redelivers everything that matches the filters, and shows the jobs that do it. */
export function RedeliverMatching({ filters, chips, isEmpty }: RedeliverMatchingProps) {
  const { allowed } = usePermission('delivery_redeliver');
  const jobs = useRedeliveries({ enabled: allowed });
  const { start, cancel } = useRedeliveryActions();
  const request = toRedelivery(filters);
  const recent = (jobs.data ?? []).filter((job) => job.status === 'running' || job.id === start.data?.id);
  const error = start.error ?? cancel.error ?? jobs.error;
  return (
    <Permitted permission="delivery_redeliver" what="Redelivery">
      {request !== undefined && !isEmpty && (
        <div>
          <ConfirmButton
            title={`Redeliver ${describe(request)}?`}
            question={<Question request={request} chips={chips} />}
            action="Redeliver"
            isDisabled={start.isPending}
            onConfirm={() => start.mutate(request)}
          >
            {start.isPending ? 'Starting …' : `Redeliver ${describe(request)}`}
          </ConfirmButton>
        </div>
      )}
      {error !== null && <Failure error={error} />}
      {recent.map((job) => (
        <Job key={job.id} job={job} onCancel={() => cancel.mutate(job.id)} />
      ))}
    </Permitted>
  );
}

function Question({ request, chips }: { request: CreateRedelivery; chips: readonly string[] }) {
  return (
    <>
      <p>
        {request.all
          ? `Every ${request.status} delivery of this workspace is sent again, whatever its age.`
          : `Every ${request.status} delivery that matches is sent again: ${chips.join(', ')}.`}
      </p>
      <p>
        Each becomes a new run of the same record. A destination that was reached before gets the alert once
        more.
      </p>
    </>
  );
}

function describe({ status, all }: CreateRedelivery): string {
  return all ? `all ${status} deliveries` : `the ${status} deliveries that match`;
}

function Job({ job, onCancel }: { job: Redelivery; onCancel(): void }) {
  const { matched, done, status, created_at } = job;
  const counts = `${done.toLocaleString('en')} of ${matched.toLocaleString('en')}`;
  const words = {
    running: `Redelivering: ${counts}`,
    done: `Redelivered ${counts}`,
    cancelled: `Cancelled after ${counts}`,
  };
  return (
    <Notice tone={status === 'done' ? 'good' : 'wait'}>
      <div className="row" role="status">
        <span>
          {words[status]}, started <RelativeTime at={created_at} />
        </span>
        {status === 'running' && (
          <>
            <progress max={Math.max(matched, 1)} value={done} aria-label="Redelivered" />
            <Button onPress={onCancel}>Cancel</Button>
          </>
        )}
      </div>
    </Notice>
  );
}
