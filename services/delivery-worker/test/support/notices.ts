import { reportWebhooks } from '@tocsin/deliveries';
import type { WorkerHarness } from './worker-harness.js';

export const minuteMs = 60_000;
export const ago = (ms: number) => new Date(Date.now() - ms);

/** A body template that prints the variables of a notice. */
export const noticeBody =
  '{"event": "{{ event }}", "rule": "{{ alert_rule_name }}", "webhook": "{{ webhook_name }}", "id": "{{ webhook_id }}", "since": "{{ since }}", "error": "{{ error }}", "count": {{ count }}, "value": {{ metric_value }}}';

type Connection = Pick<WorkerHarness, 'database' | 'workspaceId'>;

/** Writes the notices that are due. A webhook is reported after it has been failing for ten minutes. */
export const report = ({ database }: Connection, disableAfterMs?: number) =>
  reportWebhooks(database, { noticeAfterMs: 10 * minuteMs, disableAfterMs });

export const noticesOf = ({ database }: Connection) =>
  database.knex('alerts').whereNotNull('notice').orderBy('id');

export const nameForNotices = ({ database, workspaceId }: Connection, ...ids: string[]) =>
  database.knex('workspace_settings').insert({
    workspace_id: workspaceId,
    notice_webhook_ids: ids,
    updated_at: new Date(),
    last_updated_by: 'test',
  });
