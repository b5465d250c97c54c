import {
  type Database,
  dayOfRecordId,
  ofDay,
  type SecretBox,
  sanitizeOrNull,
  sqlArray,
} from '@tocsin/database';
import { groupBy } from '@tocsin/kit';
import { requestInterval } from './claim-repository.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { type Attempt, type Deferral, type Outcome, waitingReasonOf } from './outcome.js';
import { encryptContents, type RecordWithContent, splitByContent } from './record-content.js';

export interface OutcomeRecord extends RecordWithContent {
  outcome: Outcome;
}

export interface DeferralRecord {
  claimed: ClaimedDelivery;
  deferral: Deferral;
}

/**
 * Ends claims. If another claim of the delivery has followed, `record` adds the attempt but does not change the state,
 * and `defer` changes nothing.
 */
export interface RecordRepository {
  /**
   * Records the attempt, the state and the time of the next attempt of each delivery. Deliveries of the same day are
   * recorded in one commit, or in several if the contents of their attempts are long. A delivery may occur only once in
   * `records`. The call is safe to repeat.
   */
  record(records: OutcomeRecord[]): Promise<void>;
  /**
   * Releases claims without recording an outcome. If a deferral has a failure, its error becomes the error of the
   * delivery.
   */
  defer(records: DeferralRecord[]): Promise<void>;
}

export function createRecordRepository(database: Database, secretBox: SecretBox): RecordRepository {
  return {
    async record(records) {
      for (const [day, recordsOfDay] of groupBy(records, dayOf)) {
        for (const part of splitByContent(recordsOfDay))
          await database.prepared(ofDay(record, day), recordColumns(part, secretBox));
      }
    },
    async defer(records) {
      const failed = records.filter(({ deferral }) => deferral.failure);
      for (const [day, failedOfDay] of groupBy(failed, dayOf))
        await database.prepared(ofDay(showFailure, day), failureColumns(failedOfDay));
      await database.prepared(defer, [
        ...claimColumns(records.map(({ claimed }) => claimed)),
        sqlArray.float8(records.map(({ deferral }) => deferral.afterMs)),
        sqlArray.text(records.map(({ deferral }) => waitingReasonOf[deferral.reason])),
        sqlArray.boolean(records.map(({ claimed }) => claimed.limitedClaim === 'with_request')),
      ]);
    },
  };
}

/**
 * Returns the day of the partition that contains the delivery of a record. Most batches have deliveries of one day
 * only.
 */
const dayOf = ({ claimed }: { claimed: ClaimedDelivery }) => dayOfRecordId(claimed.deliveryId);

/** Returns the first three parameters of every statement in this file: ids, runs and claim numbers. */
function claimColumns(claims: ClaimedDelivery[]): Buffer[] {
  return [
    sqlArray.uuid(claims.map(({ deliveryId }) => deliveryId)),
    sqlArray.integer(claims.map(({ run }) => run)),
    sqlArray.integer(claims.map(({ claim }) => claim)),
  ];
}

function failureColumns(records: DeferralRecord[]): Buffer[] {
  return [
    ...claimColumns(records.map(({ claimed }) => claimed)),
    sqlArray.text(records.map(({ deferral }) => deferral.failure?.code ?? null)),
    sqlArray.text(records.map(({ deferral }) => sanitizeOrNull(deferral.failure?.error))),
  ];
}

function recordColumns(records: OutcomeRecord[], secretBox: SecretBox): unknown[] {
  const claims = records.map(({ claimed }) => claimed);
  const outcomes = records.map(({ outcome }) => outcome);
  const failures = outcomes.map((outcome) => (outcome.kind === 'succeeded' ? undefined : outcome.failure));
  const attempts = records.map(({ attempt }) => attempt);
  const contents = encryptContents(records, secretBox);
  return [
    ...claimColumns(claims),
    sqlArray.text(outcomes.map((outcome) => (outcome.kind === 'retry' ? 'open' : outcome.kind))),
    sqlArray.float8(outcomes.map((outcome) => (outcome.kind === 'retry' ? outcome.afterMs : null))),
    sqlArray.smallint(
      records.map(({ outcome, claimed }) => (outcome.kind === 'retry' ? outcome.step : claimed.step)),
    ),
    sqlArray.text(failures.map((failure) => failure?.code ?? null)),
    sqlArray.text(failures.map((failure) => sanitizeOrNull(failure?.error))),
    sqlArray.boolean(attempts.map((attempt) => attempt !== undefined)),
    sqlArray.text(attempts.map((attempt) => attempt?.trigger ?? null)),
    sqlArray.timestamptz(attempts.map((attempt) => attempt?.startedAt ?? null)),
    sqlArray.integer(attempts.map((attempt) => (attempt ? Math.round(attempt.durationMs) : null))),
    sqlArray.integer(contents.offsets),
    sqlArray.integer(attempts.map((attempt) => attempt?.response?.statusCode ?? null)),
    sqlArray.boolean(attempts.map((attempt) => attempt?.response?.truncated ?? false)),
    sqlArray.text(attempts.map((attempt) => attempt?.failure?.code ?? null)),
    sqlArray.text(attempts.map((attempt) => sanitizeOrNull(attempt?.failure?.error ?? attempt?.note))),
    sqlArray.integer(contents.lengths),
    // All contents are sent as one value. The library pg sends an array of bytea as hexadecimal text, which is twice as
    // long.
    contents.all,
    sqlArray.text(attempts.map((attempt) => attempt?.destination ?? null)),
    sqlArray.float8(attempts.map((attempt) => (attempt ? msSinceEnd(attempt) : null))),
  ];
}

/** Returns the milliseconds since the end of the request. The statement subtracts them from the database's time. */
function msSinceEnd({ startedAt, durationMs }: Attempt): number {
  return Math.max(0, Date.now() - startedAt.getTime() - durationMs);
}

// Every statement has "= any" conditions in addition to its joins, so that no plan scans a whole table (docs/adr/0004).
// Rows are locked in the same order as in a redelivery: open_deliveries first, then deliveries, each by id.
const record = {
  name: 'delivery.record',
  text: `
    with o as materialized (
      select * from unnest($1::uuid[], $2::integer[], $3::integer[], $4::text[], $5::float8[], $6::smallint[],
                           $7::text[], $8::text[], $9::boolean[], $10::text[], $11::timestamptz[], $12::integer[],
                           $13::integer[], $14::integer[], $15::boolean[], $16::text[], $17::text[], $18::integer[],
                           $20::text[], $21::float8[])
        as o(delivery_id, run, claim, status, after_ms, step, error_code, error, attempted, trigger, started_at,
             duration_ms, content_at, status_code, truncated, attempt_error_code, attempt_error, content_bytes,
             destination, ended_ms_ago)
      order by delivery_id
    ), ended as (
      delete from open_deliveries x using o
      where x.delivery_id = any($1::uuid[]) and x.delivery_id = o.delivery_id and x.run = o.run
        and x.claim = o.claim and o.status <> 'open'
      returning x.delivery_id, x.claim
    ), retried as (
      update open_deliveries x
      set state = 'waiting', waiting_reason = 'retry', claimed_by = null, claim_token = null, lease_until = null,
          claims_without_outcome = 0, manual = false,
          step = o.step,
          -- If the webhook was deleted or disabled since the request, no retry is sent. The delivery is due at once,
          -- because its next claim ends it.
          due_at = case when exists (select from webhooks w where w.id = x.webhook_id and w.enabled)
                        then now() + o.after_ms * interval '1 millisecond' else now() end
      from o
      where x.delivery_id = any($1::uuid[]) and x.delivery_id = o.delivery_id and x.run = o.run
        and x.claim = o.claim and o.status = 'open'
      returning x.delivery_id, x.claim
    ), checked as materialized (
      select o.*, ours.delivery_id is not null as is_ours,
             now() - coalesce(o.ended_ms_ago, 0) * interval '1 millisecond' as ended_at,
             -- An attempt is counted only once. If this statement ends the delivery, it is the first one for the
             -- attempt. Otherwise the commit can be a repetition, and the attempt is searched in the table.
             o.attempted and (ours.ended is true or not exists (
               select from attempts/*day*/ a
               where a.delivery_id = any($1::uuid[]) and a.delivery_id = o.delivery_id and a.claim = o.claim)) as is_new
      from o left join (select delivery_id, claim, true as ended from ended
                        union all select delivery_id, claim, false from retried) ours using (delivery_id, claim)
    ), updated as (
      update deliveries/*day*/ d
      set attempts_made = d.attempts_made + c.is_new::integer,
          destination = case when c.is_new then c.destination else d.destination end,
          rendered_encrypted = case when not c.is_ours then d.rendered_encrypted
                                    when not c.attempted and c.content_bytes > 0
                                    then substring($19::bytea from c.content_at for c.content_bytes) end,
          status = case when c.is_ours then c.status else d.status end,
          claims = case when c.is_ours then c.claim else d.claims end,
          first_succeeded_at = case when c.is_ours and c.status = 'succeeded'
                                    then coalesce(d.first_succeeded_at, c.ended_at) else d.first_succeeded_at end,
          failed_at = case when c.is_ours then case when c.status = 'failed' then now() end else d.failed_at end,
          status_code = case when c.is_ours then case when c.attempted then c.status_code else d.status_code end
                             else d.status_code end,
          error_code = case when c.is_ours then c.error_code else d.error_code end,
          error = case when c.is_ours then c.error else d.error end
      from checked c
      where d.id = c.delivery_id and (c.is_ours or c.is_new)
      returning d.id, d.attempts_made, d.webhook_id, d.alert_rule_id
    ), outcomes as (
      select u.webhook_id, c.ended_at, case when c.attempted then c.attempt_error_code else c.error_code end as error_code,
             case when c.attempted then c.attempt_error else c.error end as error
      from checked c join updated u on u.id = c.delivery_id
      where not is_notice(u.alert_rule_id)
        and (c.is_new or c.is_ours and not c.attempted and c.error_code in ('template_error', 'invalid_json'))
    ), seen as (
      select webhook_id, max(ended_at) as last_attempt_at,
             (array_agg(error_code order by ended_at desc))[1] is not null as failing,
             -- Start of the current health: the first failure, or the last outcome if the batch contains a success.
             case when bool_or(error_code is null) then max(ended_at) else min(ended_at) end as since,
             max(ended_at) filter (where error_code is null) as succeeded_at,
             max(ended_at) filter (where error_code is not null) as error_at,
             (array_agg(error_code order by ended_at desc) filter (where error_code is not null))[1] as error_code,
             (array_agg(error order by ended_at desc) filter (where error_code is not null))[1] as error
      from outcomes group by webhook_id
    ), health as (
      insert into webhook_health as h (webhook_id, failing, since, last_attempt_at, error_code, error, error_at)
      select webhook_id, s.failing, s.since, s.last_attempt_at, s.error_code, s.error, s.error_at
      from seen s left join webhook_health k using (webhook_id)
      -- Unchanged outcomes are written at most once a minute, so that batches do not wait for each other's row locks.
      where k.webhook_id is null or s.failing <> k.failing or k.failing and s.succeeded_at > k.since
        or s.last_attempt_at > k.last_attempt_at + interval '1 minute'
        or s.error_code is not null and (s.error_code, s.error) is distinct from (k.error_code, k.error)
      order by webhook_id
      on conflict (webhook_id) do update
      set (failing, since, last_attempt_at) = (
            select l.failing,
                   case when l.failing <> h.failing then l.since
                        -- A later failure has followed a success after the start of the failure, so a new one starts.
                        when h.failing and (select s.succeeded_at from seen s where s.webhook_id = h.webhook_id) > h.since
                        then l.last_attempt_at
                        else h.since end,
                   l.last_attempt_at
            from (values (excluded.failing, excluded.since, excluded.last_attempt_at),
                         (h.failing, h.since, h.last_attempt_at)) as l(failing, since, last_attempt_at)
            order by l.last_attempt_at desc limit 1),
          error_code = coalesce(excluded.error_code, h.error_code), error = coalesce(excluded.error, h.error),
          error_at = coalesce(excluded.error_at, h.error_at)
    )
    insert into attempts/*day*/ (delivery_id, claim, number, trigger, started_at, duration_ms, destination,
                          exchange_encrypted, status_code, response_truncated, error_code, error)
    select c.delivery_id, c.claim, u.attempts_made, c.trigger, c.started_at, c.duration_ms, c.destination,
           substring($19::bytea from c.content_at for c.content_bytes), c.status_code, c.truncated, c.attempt_error_code,
           c.attempt_error
    from checked c join updated u on u.id = c.delivery_id
    where c.is_new`,
};

// The statement `defer` releases claims, and returns their unused requests to the rate limits. It skips the row of a
// rate limit that another transaction has locked, because waiting for the lock could deadlock.
const defer = {
  name: 'delivery.defer',
  text: `
    with ours as (
      select x.delivery_id, d.after_ms, d.reason, d.has_request and x.claimed_by is not null as has_request
      from open_deliveries x
      join unnest($1::uuid[], $2::integer[], $3::integer[], $4::float8[], $5::text[], $6::boolean[])
        as d(delivery_id, run, claim, after_ms, reason, has_request) using (delivery_id, run, claim)
      where x.delivery_id = any($1::uuid[])
      order by x.delivery_id for update of x
    ), deferred as (
      update open_deliveries x
      set state = 'waiting', waiting_reason = ours.reason, claimed_by = null, claim_token = null, lease_until = null,
          claims_without_outcome = greatest(0, x.claims_without_outcome - 1),
          due_at = now() + ours.after_ms * interval '1 millisecond'
      from ours where x.delivery_id = any($1::uuid[]) and x.delivery_id = ours.delivery_id
      returning x.webhook_id, ours.has_request
    ), unused as materialized (
      select webhook_id, count(*) as requests from deferred where has_request group by webhook_id
    ), limits as materialized (
      select webhook_id from webhook_rate_limits
      where webhook_id = any(array(select webhook_id from unused)) for update skip locked
    )
    update webhook_rate_limits l set next_at = l.next_at - unused.requests * ${requestInterval}
    from unused join limits using (webhook_id)
    where l.webhook_id = any(array(select webhook_id from limits)) and l.webhook_id = unused.webhook_id`,
};

// A delivery can be deferred many times with the same failure. The update skips deliveries that already show this
// failure.
const showFailure = {
  name: 'delivery.show-failure',
  text: `
    with ours as materialized (
      select x.delivery_id, t.error_code, t.error from open_deliveries x
      join unnest($1::uuid[], $2::integer[], $3::integer[], $4::text[], $5::text[])
        as t(delivery_id, run, claim, error_code, error) using (delivery_id, run, claim)
      where x.delivery_id = any($1::uuid[])
      order by x.delivery_id for update of x
    )
    update deliveries/*day*/ d set error_code = ours.error_code, error = ours.error
    from ours
    where d.id = ours.delivery_id and (d.error_code, d.error) is distinct from (ours.error_code, ours.error)`,
};
