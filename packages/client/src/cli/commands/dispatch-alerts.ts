import type { CreateDispatch } from '../../api/schemas.js';
import type { PlatformContext } from '../action.js';
import { forIdsOrMatches } from '../for-ids-or-matches.js';

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
  const { options, platform, signal } = context;
  const { rule, outcome, since, until, all } = options;
  await forIdsOrMatches(context, {
    filter: { alert_rule_id: rule, outcome, since, until, all },
    usage: 'Give the ids of alerts, or at least one filter such as --rule ID, or --all.',
    each: (id) => platform.alerts.dispatch(id, { signal }),
    show: ({ alert_id, deliveries }) =>
      `${alert_id} is on its way to ${deliveries.length} ${deliveries.length === 1 ? 'webhook' : 'webhooks'}.`,
    jobs: platform.dispatches,
    noun: 'alerts',
    describe: (count) => `${count} alerts are on their way`,
  });
}
