import { type Database, firstIdOf, type SecretBox, sqlArray } from '@tocsin/database';
import { sanitizeOrNull } from '../sanitize-text.js';
import { claimColumns } from './claim-columns.js';
import type { Claimed } from './claimed.js';
import type { Attempt, Verdict } from './verdict.js';

export interface Outcome {
  claimed: Claimed;
  verdict: Verdict;
  attempt: Attempt | undefined;
}

export interface RecordRepository {
  /**
   * Records outcomes in one commit: attempt, status and next attempt's time, only where the claim is still ours; a late
   * owner adds its attempt and changes nothing else. At most one outcome for a delivery. Safe to repeat.
   */
  record(outcomes: Outcome[]): Promise<void>;
}

export function createRecordRepository(database: Database, secrets: SecretBox): RecordRepository {
  return {
    async record(outcomes) {
      await database.prepared(record, columnsOf(outcomes, secrets));
    },
  };
}

const nothing = Buffer.alloc(0);

function columnsOf(outcomes: Outcome[], secrets: SecretBox): unknown[] {
  const failures = outcomes.map(({ verdict }) =>
    verdict.kind === 'succeeded' ? undefined : verdict.failure,
  );
  const attempts = outcomes.map(({ attempt }) => attempt);
  const bodies = outcomes.map(({ claimed, attempt }) =>
    attempt ? encrypt(claimed, attempt, secrets) : nothing,
  );
  const claims = outcomes.map(({ claimed }) => claimed);
  return [
    ...claimColumns(claims),
    sqlArray.text(outcomes.map(({ verdict }) => (verdict.kind === 'retry' ? 'open' : verdict.kind))),
    sqlArray.float8(outcomes.map(({ verdict }) => (verdict.kind === 'retry' ? verdict.afterMs : null))),
    sqlArray.smallint(
      outcomes.map(({ verdict, claimed }) => (verdict.kind === 'retry' ? verdict.step : claimed.step)),
    ),
    sqlArray.text(failures.map((failure) => failure?.code ?? null)),
    sqlArray.text(failures.map((failure) => sanitizeOrNull(failure?.error))),
    sqlArray.boolean(attempts.map((attempt) => attempt !== undefined)),
    sqlArray.text(attempts.map((attempt) => attempt?.trigger ?? null)),
    sqlArray.timestamptz(attempts.map((attempt) => attempt?.startedAt ?? null)),
    sqlArray.integer(attempts.map((attempt) => (attempt ? Math.round(attempt.durationMs) : null))),
    sqlArray.integer(startsOf(bodies)),
    sqlArray.integer(attempts.map((attempt) => attempt?.response?.statusCode ?? null)),
    sqlArray.text(attempts.map((attempt) => sanitizeOrNull(attempt?.response?.body))),
    sqlArray.boolean(attempts.map((attempt) => attempt?.response?.truncated ?? false)),
    sqlArray.text(attempts.map((attempt) => attempt?.failure?.code ?? null)),
    sqlArray.text(attempts.map((attempt) => sanitizeOrNull(attempt?.failure?.error ?? attempt?.note))),
    sqlArray.integer(bodies.map((body) => body.length)),
    // One value for all: an array of them would go as hexadecimal text, twice as long, and be parsed again.
    Buffer.concat(bodies),
    firstIdOf(claims.map(({ deliveryId }) => deliveryId)),
  ];
}

/** Where each part begins in all of them together, counted from 1 as SQL does. */
function startsOf(parts: Buffer[]): number[] {
  let next = 1;
  return parts.map(({ length }) => {
    const start = next;
    next += length;
    return start;
  });
}

function encrypt({ deliveryId, claim }: Claimed, { requestBody }: Attempt, secrets: SecretBox): Buffer {
  return secrets.encrypt(requestBody, {
    table: 'attempts',
    id: `${deliveryId}/${claim}`,
    column: 'request_body',
  });
}

// "= any" beside each join: docs/adr/0007. Locks go open_deliveries first, then deliveries, each in the order of ids:
// as redelivery does.
const record = {
  name: 'delivery.record',
  text: `
    with o as materialized (
      select * from unnest($1::uuid[], $2::integer[], $3::integer[], $4::text[], $5::float8[], $6::smallint[],
                           $7::text[], $8::text[], $9::boolean[], $10::text[], $11::timestamptz[], $12::integer[],
                           $13::integer[], $14::integer[], $15::text[], $16::boolean[], $17::text[], $18::text[],
                           $19::integer[])
        as o(delivery_id, run, claim, status, after_ms, step, error_code, error, attempted, trigger, started_at,
             duration_ms, body_at, status_code, response, truncated, attempt_error_code, attempt_error,
             body_bytes)
      order by delivery_id
    ), ended as (
      delete from open_deliveries x using o
      where x.delivery_id = any($1::uuid[]) and x.delivery_id = o.delivery_id and x.run = o.run
        and x.claim = o.claim and o.status <> 'open'
      returning x.delivery_id, x.claim
    ), again as (
      update open_deliveries x
      set state = 'waiting', claimed = false, claim_token = null, lease_until = null,
          claims_without_outcome = 0, manual = false,
          step = o.step,
          -- Of a webhook that was deleted or disabled meanwhile nothing is tried again: that is recorded at once.
          due_at = case when exists (select from webhooks w where w.id = x.webhook_id and w.enabled)
                        then now() + o.after_ms * interval '1 millisecond' else now() end
      from o
      where x.delivery_id = any($1::uuid[]) and x.delivery_id = o.delivery_id and x.run = o.run
        and x.claim = o.claim and o.status = 'open'
      returning x.delivery_id, x.claim
    ), news as materialized (
      select o.*, mine.delivery_id is not null as is_ours,
             -- What ends with this commit was not recorded before; the rest may be a commit that is repeated.
             o.attempted and (mine.ended is true or not exists (
               select from attempts a where a.delivery_id = o.delivery_id and a.claim = o.claim
                 and a.delivery_id >= $21::uuid)) as is_new
      from o left join (select delivery_id, claim, true as ended from ended
                        union all select delivery_id, claim, false from again) mine using (delivery_id, claim)
    ), updated as (
      update deliveries d
      set attempts_made = d.attempts_made + n.is_new::integer,
          status = case when n.is_ours then n.status else d.status end,
          claims = case when n.is_ours then n.claim else d.claims end,
          first_succeeded_at = case when n.is_ours and n.status = 'succeeded'
                                    then coalesce(d.first_succeeded_at, now()) else d.first_succeeded_at end,
          failed_at = case when n.is_ours then case when n.status = 'failed' then now() end else d.failed_at end,
          status_code = case when n.is_ours then case when n.attempted then n.status_code else d.status_code end
                             else d.status_code end,
          error_code = case when n.is_ours then n.error_code else d.error_code end,
          error = case when n.is_ours then n.error else d.error end
      from news n
      -- Without a lower bound on purpose: see docs/adr/0007.
      where d.id = n.delivery_id and (n.is_ours or n.is_new)
      returning d.id, d.attempts_made
    )
    insert into attempts (delivery_id, claim, number, trigger, started_at, duration_ms, request_body_encrypted,
                          status_code, response, response_truncated, error_code, error)
    select n.delivery_id, n.claim, u.attempts_made, n.trigger, n.started_at, n.duration_ms,
           substring($20::bytea from n.body_at for n.body_bytes),
           n.status_code, n.response, n.truncated, n.attempt_error_code, n.attempt_error
    from news n join updated u on u.id = n.delivery_id
    where n.is_new`,
};
