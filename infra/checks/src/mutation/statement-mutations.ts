/** A deliberate defect in an SQL statement or in its parameters. At least one database test must fail with it. */
export interface StatementMutation {
  /** File name, replaced text and replacement, for the output. */
  name: string;
  file: string;
  /** The text to replace. It must occur exactly once in the file. */
  piece: string;
  replacement: string;
  /** Test files. At least one of them must fail. */
  tests: string[];
}

/** Environment variable with the name of the mutation to apply. Without the variable, no file is changed. */
export const mutationVariable = 'TOCSIN_STATEMENT_MUTATION';

interface MutatedFile {
  file: string;
  tests: string[];
  /** Texts of the file with their replacements. */
  changes: [piece: string, replacement: string][];
}

const worker = 'services/delivery-worker';
const deliveries = 'packages/deliveries';
const api = 'services/webhook-api';

const files: MutatedFile[] = [
  {
    file: `${worker}/src/delivery/claim-repository.ts`,
    tests: [`${worker}/test/claim.test.ts`],
    changes: [
      ['o.delivery_id = due.delivery_id and o.run = due.run', 'o.delivery_id = due.delivery_id'],
      [`and o.state is not distinct from 'queued'`, ''],
      ['and (o.claimed_by is null or o.claim_token = $4::uuid)', ''],
      ['(o.claimed_by is null or o.claim_token = $4::uuid)', 'o.claimed_by is null'],
      ['claimed_by = $3::uuid, ', ''],
      ['set claimed_by = $3::uuid, claim = o.claim + 1', 'set claimed_by = $3::uuid, claim = o.claim'],
      ['(o.claim_token is distinct from $4::uuid)::integer', '1'],
      ['now() - c.opened_at', 'c.opened_at - c.opened_at'],
      ['and w.workspace_id = c.workspace_id', ''],
      ['p.paused_until - now()', 'now() - p.paused_until'],
    ],
  },
  {
    file: `${worker}/src/delivery/record-repository.ts`,
    tests: [`${worker}/test/record.test.ts`, `${worker}/test/record-fields.test.ts`],
    changes: [
      [`and x.claim = o.claim and o.status <> 'open'`, `and o.status <> 'open'`],
      [`and x.claim = o.claim and o.status = 'open'`, `and o.status = 'open'`],
      ['claims_without_outcome = 0, manual = false,', 'claims_without_outcome = 0,'],
      ['claims_without_outcome = 0, manual = false,', 'manual = false,'],
      ['step = o.step,', ''],
      ['where w.id = x.webhook_id and w.enabled', 'where w.id = x.webhook_id'],
      ['where w.id = x.webhook_id and w.enabled', 'where w.enabled'],
      [`then now() + o.after_ms * interval '1 millisecond' else`, 'then now() else'],
      ['mine.ended is true or not exists', 'true or exists'],
      ['a.claim = o.claim', 'true'],
      ['d.attempts_made + n.is_new::integer', 'd.attempts_made + 1'],
      ['destination = case when n.is_new', 'destination = case when n.is_ours'],
      ['case when not n.is_ours then d.rendered_encrypted', 'case when false then d.rendered_encrypted'],
      ['when not n.attempted and n.text_bytes > 0', 'when n.text_bytes > 0'],
      ['status = case when n.is_ours then n.status else d.status end', 'status = n.status'],
      ['claims = case when n.is_ours then n.claim else d.claims end', 'claims = d.claims'],
      ['coalesce(d.first_succeeded_at, n.ended_at)', 'n.ended_at'],
      ['coalesce(o.ended_ms_ago, 0)', '0'],
      [`when n.is_ours and n.status = 'succeeded'`, `when n.status = 'succeeded'`],
      ['failed_at = case when n.is_ours', 'failed_at = case when true'],
      [`when n.status = 'failed' then now() end`, `when n.status = 'failed' then now() else d.failed_at end`],
      ['case when n.attempted then n.status_code else d.status_code end', 'n.status_code'],
      [
        'error_code = case when n.is_ours then n.error_code else d.error_code end',
        'error_code = n.error_code',
      ],
      ['error = case when n.is_ours then n.error else d.error end', 'error = n.error'],
      ['(n.is_ours or n.is_new)', 'n.is_ours'],
      ['where n.is_new`', 'where n.attempted`'],
      ['let next = 1;', 'let next = 0;'],
      ['{claim}`,', '{1}`,'],
      ['has_request) using (delivery_id, run, claim)', 'has_request) using (delivery_id, run)'],
      ['has_request) using (delivery_id, run, claim)', 'has_request) using (delivery_id, claim)'],
      ['error) using (delivery_id, run, claim)', 'error) using (delivery_id, run)'],
      ['greatest(0, x.claims_without_outcome - 1)', 'x.claims_without_outcome'],
      ['greatest(0, x.claims_without_outcome - 1)', 'x.claims_without_outcome - 1'],
      [`due_at = now() + ours.after_ms * interval '1 millisecond'`, 'due_at = now()'],
    ],
  },
  {
    file: `${worker}/src/delivery/record-repository.ts`,
    tests: [`${worker}/test/webhook-health.test.ts`],
    changes: [
      ['case when l.failing = h.failing then h.since else l.since end', 'l.since'],
      ['order by l.last_attempt_at desc limit 1', 'order by l.last_attempt_at limit 1'],
      ['error_code = coalesce(excluded.error_code, h.error_code)', 'error_code = excluded.error_code'],
      [`s.last_attempt_at > k.last_attempt_at + interval '1 minute'`, 'false'],
    ],
  },
  {
    file: `${worker}/src/delivery/pause-repository.ts`,
    tests: [`${worker}/test/record.test.ts`, `${worker}/test/record-fields.test.ts`],
    changes: [
      ['using (id, version)', 'using (id)'],
      ['join webhooks w using (id, version)\n    where w.enabled', ''],
      ['where w.enabled', ''],
      ['greatest(webhook_pauses.paused_until, excluded.paused_until)', 'excluded.paused_until'],
      ['webhook_pauses.paused_until > now() or excluded.times > 1', 'excluded.times > 1'],
      ['webhook_pauses.paused_until > now() or excluded.times > 1', 'webhook_pauses.paused_until > now()'],
      ['where webhook_id = $1', 'where $1::uuid is not null'],
    ],
  },
  {
    file: `${worker}/src/fan-out/fan-out-repository.ts`,
    tests: [`${worker}/test/fan-out-write.test.ts`],
    changes: [
      ['on conflict do nothing', ''],
      ['from t where error_code is null', 'from t'],
      [`case when state <> 'waiting' then now()`, 'case when true then now()'],
      [`case state when 'waiting' then 'waiting' else 'queued' end`, `'queued'`],
      [
        `(state = 'claimed')::integer, case state when 'claimed' then $22`,
        `0, case state when 'claimed' then $22`,
      ],
      [
        `(state = 'claimed')::integer, case state when 'claimed' then $23`,
        `0, case state when 'claimed' then $23`,
      ],
      ['greatest(pipeline_marker.marked_at, excluded.marked_at)', 'excluded.marked_at'],
      ['select least(now(), $27::timestamptz)', 'select $27::timestamptz'],
    ],
  },
  {
    file: `${deliveries}/src/new-deliveries.ts`,
    tests: [`${worker}/test/fan-out-write.test.ts`],
    changes: [
      [`case when error_code is null then 'open' else 'failed' end`, `'open'`],
      ['case when error_code is not null then now() end', 'null'],
    ],
  },
  {
    file: `${worker}/src/fan-out/rules-reader.ts`,
    tests: [`${worker}/test/rules-reader.test.ts`],
    changes: [
      ['r.deleted_at is not null as deleted', 'false as deleted'],
      ['order by l.position', 'order by l.webhook_id'],
      ['p.webhook_id is not null or w.rate_limit_requests', 'w.rate_limit_requests'],
      ['union select unnest($2::uuid[])', ''],
    ],
  },
  {
    file: `${worker}/src/lease/lease-repository.ts`,
    tests: [`${worker}/test/lease.test.ts`],
    changes: [
      ['select lease_until > now() from before', 'select true from before'],
      ['set lease_until = excluded.lease_until', 'set lease_until = workers.lease_until'],
      ['select id from workers where lease_until between now() and', 'select id from workers where now() <'],
      [`'1 minute' and now() < $4::timestamptz\n      returning`, `'1 minute'\n      returning`],
      [`q.state = 'queued' and now() < $4::timestamptz`, `q.state = 'queued'`],
      ['($3::float8 - 1000)', '$3::float8'],
      ['($5::boolean or exists (select from removed))', 'true'],
      ['($5::boolean or exists (select from removed))', 'exists (select from removed)'],
      ['($5::boolean or exists (select from removed))', '$5::boolean'],
      ['and q.delivery_id <> all($2::uuid[])', ''],
      ['then q.lease_until < now() and q.delivery_id', 'then q.delivery_id'],
      ['not exists (select from alive where alive.id = q.claimed_by)', 'false'],
      ['when o.claims_without_outcome > 1', 'when true'],
      ['else least(o.due_at, now()) end', "else now() + interval '5 seconds' end"],
      ['delete from workers where id = $1::uuid', 'delete from workers where false and id = $1::uuid'],
    ],
  },
  {
    file: `${worker}/src/dispatch/dispatch-repository.ts`,
    tests: [`${worker}/test/dispatch.test.ts`],
    changes: [
      ['where now() < $5::timestamptz', 'where true'],
      [`least(paused_until, now() + interval '5 minutes')`, 'paused_until'],
      ['o.claimed_by is null`', 'true`'],
      ['o.run = u.run', 'true'],
      ['filter (where claimed_by is null)', ''],
      [`lease_until = now() + $4`, `lease_until = now() - $4`],
    ],
  },
  {
    file: `${worker}/src/dispatch/due-reader.ts`,
    tests: [`${worker}/test/dispatch.test.ts`],
    changes: [
      ['and o.due_at <= now()\n        order by o.due_at limit', 'order by o.due_at limit'],
      ['o.due_at limit $', 'o.due_at desc limit $'],
      [`when pause.paused_until > now() then 'paused'`, `when false then 'paused'`],
      ['pause.webhook_id is not null as probing', 'false as probing'],
      ['next.workspace_id = walk.workspace_id and walk.steps', 'walk.steps'],
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
    tests: [`${api}/test/dispatch.test.ts`],
    changes: [
      [`and outcome <> 'dispatched'\n`, '\n'],
      ['from new where error_code is null', 'from new'],
    ],
  },
  {
    file: `${api}/src/webhooks/webhook-deletion-repository.ts`,
    tests: [`${api}/test/open-deliveries.test.ts`],
    changes: [
      [
        `await trx('webhook_pauses').where({ webhook_id: id }).delete();\n  await trx('webhook_health')`,
        `await trx('webhook_health')`,
      ],
    ],
  },
  {
    file: `${api}/src/webhooks/due-deliveries-repository.ts`,
    tests: [`${api}/test/open-deliveries.test.ts`],
    changes: [[`untriedOnly ? 'and step = 0' : ''`, `''`]],
  },
  {
    file: `${api}/src/webhooks/webhooks-repository.ts`,
    tests: [`${api}/test/open-deliveries.test.ts`],
    changes: [['and p.paused_until > now()', '']],
  },
  {
    file: `${api}/src/pipeline/pipeline-reader.ts`,
    tests: [`${api}/test/pipeline.test.ts`],
    changes: [
      ['o.run = 1 and o.step = 0', 'o.run = 1'],
      ['o.run = 1 and o.step = 0', 'o.step = 0'],
      ['p.webhook_id = o.webhook_id and p.paused_until', 'p.paused_until'],
    ],
  },
];

export const statementMutations: StatementMutation[] = files.flatMap(({ file, tests, changes }) =>
  changes.map(([piece, replacement]) => ({
    name: `${file.split('/').at(-1)}: ${onOneLine(piece)} → ${onOneLine(replacement) || 'nothing'}`,
    file,
    piece,
    replacement,
    tests,
  })),
);

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
