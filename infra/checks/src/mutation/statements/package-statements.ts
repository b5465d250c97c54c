import type { MutatedFile } from './mutated-file.js';

const deliveries = 'packages/deliveries';
const database = 'packages/database';
const worker = 'services/delivery-worker';
const api = 'services/webhook-api';

/** Mutations of statements in the packages that API and worker share. */
export const packageStatements: MutatedFile[] = [
  {
    file: `${deliveries}/src/new-deliveries.ts`,
    tests: [`${worker}/test/fan-out-write.test.ts`],
    changes: [
      [`case when error_code is null then 'open' else 'failed' end`, `'open'`],
      ['case when error_code is not null then now() end', 'null'],
    ],
  },
  {
    file: `${deliveries}/src/redelivery-repository.ts`,
    tests: [`${deliveries}/test/redelivery.test.ts`],
    changes: [
      ['failed_at = null, run = d.run + 1', 'run = d.run + 1'],
      ['failed_at = null, run = d.run + 1', 'failed_at = null'],
      ['now(), true, claims', 'now(), false, claims'],
      ['now(), true, claims', 'now(), true, 0'],
      ['and w.lease_until > now()', ''],
      ['least(due_at, now())', 'due_at'],
      [', manual = true where', ' where'],
    ],
  },
  {
    file: `${deliveries}/src/redelivery-job.ts`,
    tests: [`${deliveries}/test/redelivery-job.test.ts`],
    changes: [
      ['failed_at <= :createdAt', 'true'],
      ['workspace_id = :workspaceId and status = :status', 'status = :status'],
    ],
  },
  {
    file: `${deliveries}/src/job-repository.ts`,
    tests: [`${deliveries}/test/redelivery-job.test.ts`],
    changes: [
      ['order by updated_at, id', 'order by id'],
      ['done = done + :done', 'done = :done'],
      [`from jobs where status = 'running'\n     order by`, 'from jobs order by'],
    ],
  },
  {
    file: `${deliveries}/src/dispatch-repository.ts`,
    tests: [`${api}/test/dispatch.test.ts`, `${deliveries}/test/dispatch-job.test.ts`],
    changes: [
      [`and outcome <> 'dispatched'\n`, '\n'],
      ['from new where error_code is null', 'from new'],
    ],
  },
  {
    file: `${deliveries}/src/cancellation-repository.ts`,
    tests: [`${deliveries}/test/cancellation.test.ts`],
    changes: [
      ['and not exists (select from workers w where w.id = o.claimed_by and w.lease_until > now())', ''],
      ['w.id = o.claimed_by and w.lease_until > now()', 'w.id = o.claimed_by'],
      ['claims = greatest(d.claims, deleted.claim)', 'claims = d.claims'],
      [`set status = 'skipped', error_code = 'cancelled'`, `set status = 'skipped', error_code = null`],
    ],
  },
  {
    file: `${deliveries}/src/cancellation-job.ts`,
    tests: [`${deliveries}/test/cancellation.test.ts`],
    changes: [
      [`'o.workspace_id = cast(:workspaceId as uuid)'`, `'true'`],
      ['o.opened_at <= cast(:createdAt as timestamptz)', 'true'],
      [`['d.alert_id = cast(:alertId as uuid)']`, '[]'],
      [`['d.alert_rule_id = cast(:alertRuleId as uuid)']`, '[]'],
      [`['o.webhook_id = cast(:webhookId as uuid)']`, '[]'],
    ],
  },
  {
    file: `${deliveries}/src/due-deliveries-repository.ts`,
    tests: [`${api}/test/open-deliveries.test.ts`],
    changes: [[`untriedOnly ? 'and step = 0' : ''`, `''`]],
  },
  {
    file: `${deliveries}/src/dispatch-job.ts`,
    tests: [`${deliveries}/test/dispatch-job.test.ts`, `${api}/test/jobs.test.ts`],
    changes: [
      [`const inRange = 'workspace_id = :workspaceId and `, `const inRange = '`],
      ['outcome = any(cast(:outcomes as text[]))', 'true'],
      [`' and alert_rule_id = :alertRuleId'`, `''`],
    ],
  },
  {
    file: `${deliveries}/src/notice-job.ts`,
    tests: [`${worker}/test/notices.test.ts`, `${worker}/test/dead-letter-notices.test.ts`],
    changes: [
      [`and d.failed_at >= \${failingFrom}`, ''],
      ['and not is_notice(d.alert_rule_id)', ''],
      [
        'greatest(h.since, w.enabled_changed_at, upper(w.manual_pauses))',
        'greatest(h.since, w.enabled_changed_at)',
      ],
      [
        'greatest(h.since, w.enabled_changed_at, upper(w.manual_pauses))',
        'greatest(h.since, upper(w.manual_pauses))',
      ],
      [
        `interval '1 millisecond' and w.enabled\n       and :minFailed`,
        `interval '1 millisecond'\n       and :minFailed`,
      ],
      [
        `interval '1 millisecond' and w.enabled\n       and h.last_attempt_at`,
        `interval '1 millisecond'\n       and h.last_attempt_at`,
      ],
      [`and h.last_attempt_at >= \${failingFrom}`, ''],
      [`n.webhook_id = w.id and n.failing_since + interval '1 millisecond' > \${failingFrom}`, 'false'],
      [`or h.since > n.failing_since + interval '1 millisecond'`, ''],
      [`version: trx.raw('version + 1'),`, ''],
      ['await makeDue(trx, row);', ''],
      [`await trx('webhook_rate_limits').where({ webhook_id: row.id }).delete();`, ''],
      [`n.noticed_at is null or n.noticed_at <= now() - interval '\${deadLettersEvery}'`, 'true'],
      [
        'where workspace_id = :workspaceId and not noticed and id',
        'where workspace_id = :workspaceId and id',
      ],
      ['where workspace_id = :workspaceId and not noticed and id', 'where not noticed and id'],
      ['array_agg(detail order by id desc)', 'array_agg(detail order by id)'],
    ],
  },
  {
    file: `${deliveries}/src/notice-repository.ts`,
    tests: [`${worker}/test/notices.test.ts`],
    changes: [
      [`.whereNot('id', webhook?.id ?? noId)`, ''],
      ['.where({ workspace_id: workspaceId })', ''],
      ['on conflict do nothing', 'on conflict do update set accepted_at = excluded.accepted_at'],
    ],
  },
  {
    file: `${deliveries}/src/retention-repository.ts`,
    tests: [`${deliveries}/test/retention.test.ts`, `${worker}/test/retention.test.ts`],
    changes: [
      [
        'delivery_id >= ? and delivery_id < ? limit 1',
        'delivery_id >= ? and delivery_id < ? and false limit 1',
      ],
      [`where: 'started_at < ?'`, `where: "? > timestamptz '2000-01-01'"`],
      [`where: 'started_at < ?'`, `where: "? < timestamptz '2000-01-01'"`],
      [
        `or obj_description(to_regclass(:name), 'pg_class') = :emptied as result`,
        'or cast(:emptied as text) is null as result',
      ],
      [`status <> 'running' and updated_at < ?`, 'updated_at < ?'],
      [`where: 'created_at < ?'`, `where: "? > timestamptz '2000-01-01'"`],
      [`where: 'time < ?'`, `where: "? > timestamptz '2000-01-01'"`],
    ],
  },
  {
    file: `${deliveries}/src/delivery-stats-repository.ts`,
    tests: [`${deliveries}/test/delivery-stats.test.ts`],
    changes: [
      ['set open = s.open + excluded.open', 'set open = excluded.open'],
      ['failed = s.failed + excluded.failed', 'failed = s.failed'],
      ['attempts = s.attempts + excluded.attempts', 'attempts = excluded.attempts'],
      ['merge_latencies(s.latencies || excluded.latencies)', 'merge_latencies(s.latencies)'],
      ['else s.latencies || excluded.latencies end', 'else s.latencies end'],
      ['then merge_latencies(latencies)\n', 'then latencies\n'],
      ['sum(skipped)::integer as skipped', 'max(skipped)::integer as skipped'],
      [`'\${allWebhooks}', minute`, 'gen_random_uuid(), minute'],
      [`addedUp('60', '1 hour')`, `addedUp('60', '1 day')`],
      ['where number <> 0 group by workspace_id, minute', 'where false group by workspace_id, minute'],
    ],
  },
  {
    file: `${database}/src/migrations/0001-delivery-stats.ts`,
    tests: [`${deliveries}/test/delivery-stats.test.ts`],
    changes: [
      ['256::bigint * sign', '256::bigint'],
      ['sum(attempts_made * sign)', 'sum(attempts_made)'],
      [`(status = 'skipped')::integer * sign`, `(status = 'failed')::integer * sign`],
      [' or attempts <> 0;', ';'],
      ['where open <> 0 or succeeded <> 0', 'where true or succeeded <> 0'],
      ['accepted_ms / 60000 * 60', 'accepted_ms / 1000'],
      [
        `select 1 as sign, * from new_rows union all select -1, * from old_rows`,
        `select 1 as sign, * from new_rows`,
      ],
      [`rows: 'select -1 as sign, * from old_rows'`, `rows: 'select 1 as sign, * from old_rows'`],
      ['having sum(entry >> 8) <> 0', ''],
    ],
  },
  {
    file: `${database}/src/migrations/0001-delivery-stats.ts`,
    tests: [`${worker}/test/notices.test.ts`],
    changes: [['where not is_notice(alert_rule_id) offset 0', 'offset 0']],
  },
  {
    file: `${database}/src/migrations/0001-open-deliveries.ts`,
    tests: [`${worker}/test/pauses.test.ts`],
    changes: [
      [`and waiting_reason = 'paused' and due_at > now()`, 'and due_at > now()'],
      ['and workspace_id = w.workspace_id and webhook_id = w.id', 'and workspace_id = w.workspace_id'],
      ['when (new.paused_until < old.paused_until)', 'when (new.paused_until > old.paused_until)'],
      ['when (old.paused_until > now())', 'when (old.paused_until < now())'],
    ],
  },
  {
    file: `${database}/src/audit-log.ts`,
    tests: [`${api}/test/audit.test.ts`],
    changes: [
      ['resource_type: auditActions[action]', `resource_type: 'webhook'`],
      ['extract(epoch from clock.time) * 1000', 'extract(epoch from clock.time) * 1001'],
      [':principal, :principalName, action', ':principalName, :principal, action'],
      ['resource_id, changed_fields, :requestId', `resource_id, '{}', :requestId`],
      ['changed_fields, :requestId', 'changed_fields, null'],
      ['clock.time, workspace_id, :principal', 'clock.time, null, :principal'],
    ],
  },
];
