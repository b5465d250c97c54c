import type { MutatedFile } from './mutated-file.js';

const api = 'services/webhook-api';

/** Mutations of statements in the folder `webhooks` of the API. */
export const webhookStatements: MutatedFile[] = [
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
    file: `${api}/src/webhooks/webhooks-repository.ts`,
    tests: [`${api}/test/pauses.test.ts`],
    changes: [['and p.paused_until > now()', '']],
  },
  {
    file: `${api}/src/webhooks/webhooks-repository.ts`,
    tests: [`${api}/test/etags.test.ts`],
    changes: [
      ['change.requireVersion(before.version);', ''],
      ['.forUpdate()\n          .first()', '.first()'],
    ],
  },
  {
    file: `${api}/src/webhooks/webhook-deletion-repository.ts`,
    tests: [`${api}/test/etags.test.ts`],
    changes: [
      ['change.requireVersion(locked.version);', ''],
      [`update(changed);\n  if (forNotices)`, `update({ updated_at: at });\n  if (forNotices)`],
      ['        ...changed,\n', ''],
    ],
  },
  {
    file: `${api}/src/webhooks/webhook-filter.ts`,
    tests: [`${api}/test/external-ids.test.ts`],
    changes: [[`query.where('external_id', externalId)`, 'query']],
  },
  {
    file: `${api}/src/webhooks/webhook-filter.ts`,
    tests: [`${api}/test/webhook-hosts.test.ts`],
    changes: [
      [`either.whereIn('destination', origins)`, `either.whereIn('destination', [])`],
      [`[\`\${origin}:\`]`, '[origin]'],
      ['if (anyPort)', 'if (!anyPort)'],
    ],
  },
  {
    file: `${api}/src/webhooks/webhook-options-repository.ts`,
    tests: [`${api}/test/webhook-options.test.ts`],
    changes: [
      ['rateLimit === null || !enabled', 'rateLimit === null'],
      ['next_at = least(webhook_rate_limits.next_at,\n', 'next_at = greatest(webhook_rate_limits.next_at,\n'],
      [`and reason = 'manual' and not`, 'and not'],
      [`case when webhook_pauses.reason = 'manual' then webhook_pauses.since else now() end`, 'now()'],
      ['times = 0, error = null', 'times = 0'],
      [`* tstzmultirange(tstzrange(now() - interval '90 days', now()))`, ''],
      ['when (select count(*) from unnest(pauses)) > :maxPauses', 'when :maxPauses < 0'],
    ],
  },
  {
    file: `${api}/src/webhooks/webhooks-repository.ts`,
    tests: [`${api}/test/webhook-options.test.ts`],
    changes: [[`.where({ webhook_id: id }).whereNot({ reason: 'manual' })`, '.where({ webhook_id: id })']],
  },
  {
    file: `${api}/src/webhooks/signing-secrets-repository.ts`,
    tests: [`${api}/test/signing-secrets.test.ts`],
    changes: [
      ['least(expires_at, now() +', 'greatest(expires_at, now() +'],
      [`.whereRaw('expires_at <= now()')`, ''],
      [`'(expires_at is null or expires_at > now())'`, `'true'`],
      [`and waiting_reason = 'no_signing_secret'`, ''],
      ['locked.signing && ', ''],
      ['.where({ id }).forUpdate()', '.where({ id })'],
      [`version: trx.raw('version + 1'),`, ''],
    ],
  },
  {
    file: `${api}/src/webhooks/webhook-health.ts`,
    tests: [`${api}/test/webhook-health.test.ts`],
    changes: [
      [`case when h.last_attempt_at > now() - interval '24 hours' then h.failing end`, 'h.failing'],
      ['and minute >= day.start', ''],
      ['and at >= day.start', ''],
      ['coalesce(s.failed, 0) + coalesce(c.failed, 0)', 'coalesce(s.failed, 0)'],
      ['coalesce(s.succeeded, 0) + coalesce(c.succeeded, 0)', 'coalesce(c.succeeded, 0)'],
      ['and step_minutes = 60', ''],
    ],
  },
];
