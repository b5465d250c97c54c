import type { MutatedFile } from './mutated-file.js';

const api = 'services/webhook-api';

export const apiStatements: MutatedFile[] = [
  {
    file: `${api}/src/pipeline/pipeline-reader.ts`,
    tests: [`${api}/test/pipeline.test.ts`],
    changes: [
      ['o.run = 1 and o.step = 0', 'o.run = 1'],
      ['o.run = 1 and o.step = 0', 'o.step = 0'],
      ['p.webhook_id = o.webhook_id and p.paused_until', 'p.paused_until'],
    ],
  },
  {
    file: `${api}/src/audit/audit-events-reader.ts`,
    tests: [`${api}/test/audit.test.ts`],
    changes: [
      ['workspace_id: workspaceId, resource_id, principal, action', 'resource_id, principal, action'],
      [
        'workspace_id: workspaceId, resource_id, principal, action',
        'workspace_id: workspaceId, principal, action',
      ],
      [
        'workspace_id: workspaceId, resource_id, principal, action',
        'workspace_id: workspaceId, resource_id, action',
      ],
      [
        'workspace_id: workspaceId, resource_id, principal, action',
        'workspace_id: workspaceId, resource_id, principal',
      ],
      [`.modify(newestInRange, { column: 'id', range, limit })`, `.orderBy('id', 'desc').limit(limit)`],
      [`.select('id').modify(inRange, { column: 'id', range })`, `.select('id')`],
    ],
  },
  {
    file: `${api}/src/alert-rules/alert-rules-repository.ts`,
    tests: [`${api}/test/etags.test.ts`],
    changes: [
      ['change.requireVersion(current.version);\n        const applied', 'const applied'],
      [
        `change.requireVersion(current.version);\n        await trx('alert_rules')`,
        `await trx('alert_rules')`,
      ],
    ],
  },
  {
    file: `${api}/src/webhooks/unknown-webhooks.ts`,
    tests: [`${api}/test/settings.test.ts`, `${api}/test/alert-rules.test.ts`],
    changes: [[`.where('workspace_id', workspaceId)\n    .whereIn('id', ids)`, `.whereIn('id', ids)`]],
  },
  {
    file: `${api}/src/settings/settings-repository.ts`,
    tests: [`${api}/test/etags.test.ts`, `${api}/test/settings.test.ts`],
    changes: [
      ['change.requireVersion(current.version);', ''],
      ['select pg_advisory_xact_lock(hashtextextended', 'select (hashtextextended'],
      ['version: current.version + 1', 'version: current.version'],
    ],
  },
  {
    file: `${api}/src/external-id.ts`,
    tests: [`${api}/test/external-ids.test.ts`],
    changes: [
      ['select pg_advisory_xact_lock(', 'select pg_advisory_xact_lock_shared('],
      ['workspace_id: workspaceId, external_id: externalId', 'external_id: externalId'],
      ['if (owner === undefined) return;', 'return;'],
    ],
  },
  {
    file: `${api}/src/alert-rules/alert-rules-repository.ts`,
    tests: [`${api}/test/external-ids.test.ts`],
    changes: [
      [`query.where('r.external_id', externalId)`, 'query'],
      [', external_id: null', ''],
      ['if (changed.externalId !== current.externalId)\n', 'if (false)\n'],
    ],
  },
  {
    file: `${api}/src/alert-rules/alert-rules-repository.ts`,
    tests: [`${api}/test/suppression.test.ts`],
    changes: [
      [`and outcome = 'dispatched' and state`, 'and state'],
      [`and state = 'firing' and`, 'and'],
      ['and dispatched_at is null', ''],
      ['order by id desc limit 1', 'order by id limit 1'],
      ['and id >= cast(:from as uuid) and', 'and cast(:from as uuid) is not null and'],
      ['alert_rule_id = :id\n', ':id is not null\n'],
      ['cooldown_from = last.accepted_at', 'cooldown_from = now()'],
      ['current.cooldownSeconds === 0 && ', ''],
    ],
  },
  {
    file: `${api}/src/alert-rules/alert-rules-repository.ts`,
    tests: [`${api}/test/alert-rules.test.ts`, `${api}/test/finding.test.ts`],
    changes: [
      [`.where({ webhook_id: webhookId }),`, ','],
      ['order by a.position)', 'order by a.webhook_id)'],
      ['where id = $1 and deleted_at is null', 'where id = $1'],
      [`'r.workspace_id': workspaceId, 'r.deleted_at': null`, `'r.workspace_id': workspaceId`],
    ],
  },
  {
    file: `${api}/src/alerts/alert-filter.ts`,
    tests: [
      `${api}/test/finding.test.ts`,
      `${api}/test/alerts.test.ts`,
      `${api}/test/reading-alerts.test.ts`,
    ],
    changes: [
      [`'a.outcome': outcome, 'a.model_id': model_id`, `'a.outcome': outcome`],
      [`'a.alert_rule_id': alert_rule_id, `, ''],
      ['a.labels::jsonb @> ?::jsonb', 'a.labels::jsonb <@ ?::jsonb'],
      [`'a.workspace_id': workspaceId, 'a.published_by': publishedBy`, `'a.published_by': publishedBy`],
      [`.modify(inRange, { column: 'a.id', range: window })`, ''],
      ['some.sort().reverse().slice(0, limit)', 'some.slice(0, limit)'],
    ],
  },
  {
    file: `${api}/src/alerts/alert-filter.ts`,
    tests: [`${api}/test/suppression.test.ts`],
    changes: [[`'a.outcome': outcome, `, '']],
  },
  {
    file: `${api}/src/deliveries/delivery-search.ts`,
    tests: [`${api}/test/delivery-search.test.ts`, `${api}/test/delivery-list.test.ts`],
    changes: [
      [`    'd.error_code': error_code,\n`, ''],
      [`\${alert} = any(?::uuid[])`, `true or \${alert} = any(?::uuid[])`],
      ['below: lastIdAt(timeOfRecordId(below))', 'below'],
      [`.where(definedOnly({ 'o.webhook_id': webhook_id }))`, ''],
      [`.whereRaw(openConditions[status])`, ''],
      [`query.whereNotNull('d.failed_at')`, 'query'],
      [`query.where('d.status', status)`, 'query'],
      [`{ 'd.workspace_id': workspaceId, ...historyConditions(filter) }`, 'historyConditions(filter)'],
      [`.where({ 'o.workspace_id': workspaceId })`, ''],
    ],
  },
  {
    file: `${api}/src/alerts/alerts-reader.ts`,
    tests: [
      `${api}/test/alerts.test.ts`,
      `${api}/test/reading-alerts.test.ts`,
      `${api}/test/alert-batch.test.ts`,
    ],
    changes: [
      ['where workspace_id = $1 and id = any($3::uuid[])', 'where id = any($3::uuid[])'],
      [
        'where id = any($2::uuid[])) as "workspaceIds"',
        'where workspace_id = $1 and id = any($2::uuid[])) as "workspaceIds"',
      ],
      [
        'where id = any($2::uuid[])) as "workspaceIds"',
        'where deleted_at is null and id = any($2::uuid[])) as "workspaceIds"',
      ],
      ['where workspace_id = $1 and alert_id = $2', 'where alert_id = $2'],
      ['where workspace_id = $1 and id >= $2 and id < $3', 'where id >= $2 and id < $3'],
      ['where workspace_id = $1 and id >= $2 and id < $3', 'where workspace_id = $1 and id >= $2'],
      ['and ($5::uuid is null or published_by = $5)', ''],
      ['and ($6::uuid is null or alert_rule_id = $6)', ''],
      ['and ($7::text is null or outcome = $7)', ''],
      ['and ($8::uuid is null or model_id = $8)', ''],
      ['order by id desc limit $4', 'limit $4'],
    ],
  },
  {
    file: `${api}/src/alerts/alerts-reader.ts`,
    tests: [`${api}/test/finding.test.ts`],
    changes: [
      [`-ffff-ffff-ffffffffffff')::uuid`, `-0fff-ffff-ffffffffffff')::uuid`],
      [`count(*) filter (where d.status = 'skipped')`, 'count(*)'],
    ],
  },
  {
    file: `${api}/src/deliveries/deliveries-reader.ts`,
    tests: [
      `${api}/test/pauses.test.ts`,
      `${api}/test/deliveries.test.ts`,
      `${api}/test/open-deliveries.test.ts`,
    ],
    changes: [
      ['greatest(o.due_at, p.paused_until)', 'o.due_at'],
      [`case when p.paused_until > now() then 'paused'`, `case when p.webhook_id is not null then 'paused'`],
      [`or o.waiting_reason = 'retry' and o.due_at <= now() then 'backlog'`, `then 'backlog'`],
      ['order by a.delivery_id, a.number desc)', 'order by a.delivery_id, a.number)'],
      ['order by a.number desc limit 1', 'order by a.number limit 1'],
      ['coalesce(last.first_number, 2) > 1', 'coalesce(last.first_number, 1) > 1'],
    ],
  },
  {
    file: `${api}/src/delivery-stats/delivery-stats-reader.ts`,
    tests: [`${api}/test/delivery-stats.test.ts`],
    changes: [
      ['and minute >= $2 and minute < $3\n', 'and minute > $2 and minute < $3\n'],
      ['and at >= $2 and at < $3\n   limit', 'and at > $2 and at < $3\n   limit'],
      ['($6::boolean or webhook_id = any', '(true or webhook_id = any'],
      [
        'where workspace_id = $1 and ($2::boolean or webhook_id = $3)\n      and delivery_id',
        'where delivery_id',
      ],
      [`('"atMs" + 60000')`, `('"atMs"')`],
      [
        'having sum(open) > 0 order by at limit 1\n  ), first_minute',
        'order by at limit 1\n  ), first_minute',
      ],
    ],
  },
  {
    file: `${api}/src/jobs/jobs-repository.ts`,
    tests: [`${api}/test/jobs.test.ts`, `${api}/test/redeliveries.test.ts`],
    changes: [
      [`where status = 'running' and workspace_id = :workspaceId)`, `where status = 'running')`],
      [`where status = 'running' and workspace_id = :workspaceId)`, 'where workspace_id = :workspaceId)'],
      ['and id = $2 and kind = $3', 'and id = $2 and $3::text is not null'],
      ['where workspace_id = $1 and id = $2', 'where $1::uuid is not null and id = $2'],
      [`and kind = :kind and status = 'running' returning`, 'and kind = :kind returning'],
    ],
  },
  {
    file: `${api}/src/dead-letters/dead-letters-repository.ts`,
    tests: [`${api}/test/dead-letters.test.ts`],
    changes: [
      [`query.whereNotNull('requeued_at')`, 'query'],
      [`query.whereNull('requeued_at')`, 'query'],
      ['query.where({ workspace_id: workspaceId })', 'query'],
      ['.forUpdate()\n          .skipLocked()', '.forUpdate()'],
      ['request_id as "requestId"', 'null as "requestId"'],
      [`if (isTruncated) return { kind: 'truncated' };`, ''],
    ],
  },
];
