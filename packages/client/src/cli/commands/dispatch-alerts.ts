import type { CreateDispatch } from '../../api/schemas.js';
import type { PlatformContext } from '../action.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { forEachId } from '../for-each-id.js';
import { givenOf, runJob } from '../run-job.js';

export interface DispatchFlags {
  rule?: string;
  outcome?: NonNullable<CreateDispatch['outcome']>;
  since?: string;
  until?: string;
  wait: boolean;
  all?: boolean;
}

/**
 * Dispatches the alerts with the given ids, one by one, or starts a job that dispatches all alerts that match a filter.
 * Only alerts without deliveries can be dispatched.
 */
export async function dispatchAlerts(context: PlatformContext<DispatchFlags>): Promise<void> {
  const { args: ids, options, platform, io, out, signal } = context;
  const { rule, outcome, since, until, all, wait } = options;
  const filter: CreateDispatch = givenOf({ alert_rule_id: rule, outcome, since, until, all });
  if (Object.keys(filter).length > 0 === ids.length > 0)
    throw new CommandFailure(
      exitCodes.usage,
      'Give the ids of alerts, or at least one filter such as --rule ID, or --all.',
    );
  if (ids.length > 0)
    return forEachId(ids, {
      out,
      signal,
      work: (id) => platform.alerts.dispatch(id, { signal }),
      show: ({ alert_id, deliveries }) =>
        `${alert_id} is on its way to ${deliveries.length} ${deliveries.length === 1 ? 'webhook' : 'webhooks'}.`,
    });
  const describe = (count: number) => `${count} alerts are on their way`;
  await runJob({ jobs: platform.dispatches, filter, wait, noun: 'alerts', describe, io, out, signal });
}
