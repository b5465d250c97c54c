import {
  type Database,
  firstIdAt,
  firstIdSql,
  recordChanges,
  systemAuthor,
  tryLockName,
} from '@tocsin/database';
import type { Knex } from 'knex';
import { makeDue } from './due-deliveries-repository.js';
import { writeNotice } from './notice-repository.js';
import type { NoticeEvent } from './notices.js';

export interface NoticeOptions {
  /** Time for which a webhook must have been failing before a notice reports it, in milliseconds. */
  noticeAfterMs: number;
  /** Time for which a webhook must have been failing before it is disabled, in milliseconds; undefined for never. */
  disableAfterMs: number | undefined;
}

/**
 * An event that `reportWebhooks` has found. It has a notice only if the workspace has chosen webhooks for notices.
 * `webhookId` is undefined for an event about dead letters.
 */
export interface DueNotice {
  event: NoticeEvent;
  workspaceId: string;
  webhookId: string | undefined;
}

/** Maximum number of events of each kind that one call of `reportWebhooks` reports. */
const maxRows = 100;

/**
 * Disables failing webhooks and writes the notices that are due. A notice and the change that the notice reports are in
 * the same commit. An advisory lock ensures that only one worker runs this function at a time; concurrent calls return
 * at once.
 */
export async function reportWebhooks({ knex }: Database, options: NoticeOptions): Promise<DueNotice[]> {
  return knex.transaction(async (trx) => {
    if (!(await tryLockName(trx, 'notices'))) return [];
    return [
      ...(options.disableAfterMs === undefined ? [] : await disableFailing(trx, options.disableAfterMs)),
      ...(await reportFailing(trx, options.noticeAfterMs)),
      ...(await reportRecovered(trx)),
      ...(await reportDeadLetters(trx)),
    ];
  });
}

interface WebhookRow {
  id: string;
  name: string;
  workspaceId: string;
  since: Date;
  error: string | null;
  /** Webhooks that receive notices; null if the workspace has no settings. */
  noticeWebhookIds: string[] | null;
}

const webhookColumns = `w.id, w.name, w.workspace_id as "workspaceId", h.error,
  cast(s.notice_webhook_ids as text[]) as "noticeWebhookIds"`;

async function report(trx: Knex.Transaction, event: NoticeEvent, row: WebhookRow): Promise<DueNotice> {
  const { id, name, workspaceId, since, error, noticeWebhookIds } = row;
  if (noticeWebhookIds !== null && noticeWebhookIds.length > 0)
    await writeNotice(trx, {
      event,
      workspaceId,
      noticeWebhookIds,
      webhook: { id, name },
      since,
      error: event === 'webhook.recovered' ? '' : (error ?? ''),
      count: 0,
    });
  return { event, workspaceId, webhookId: id };
}

/**
 * SQL for the start of the present failure of a webhook `w` with the health `h`. Time in which the webhook was disabled
 * or in a manual pause does not count: the start is the latest of the first failure after the last success, the last
 * change of `enabled`, and the end of the last manual pause.
 */
const failingFrom = 'greatest(h.since, w.enabled_changed_at, upper(w.manual_pauses))';

/** Minimum number of deliveries that must have failed since the start of the failure before a webhook is disabled. */
const minFailed = 20;

/**
 * SQL for the lower bound of ids in the search for deliveries that have failed since `failingFrom`. It is the first
 * possible id of the time one hour before `failingFrom`. A burst of alerts is accepted before its first request fails,
 * so some deliveries that fail later have ids before `failingFrom`. Older deliveries are not searched, because the
 * check runs every 5 s and must not read the whole history of the webhook.
 */
const firstCountedId = firstIdSql(`floor(extract(epoch from ${failingFrom} - interval '1 hour') * 1000)`);

async function disableFailing(trx: Knex.Transaction, afterMs: number): Promise<DueNotice[]> {
  const { rows } = await trx.raw<{ rows: WebhookRow[] }>(
    `select ${webhookColumns}, ${failingFrom} as since
     from webhook_health h join webhooks w on w.id = h.webhook_id
     left join workspace_settings s on s.workspace_id = w.workspace_id
     where h.failing and ${failingFrom} <= now() - :afterMs * interval '1 millisecond' and w.enabled
       and :minFailed <= (select count(*) from (
         select from deliveries d
         where d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.id >= ${firstCountedId}
           and d.failed_at >= ${failingFrom} and not is_notice(d.alert_rule_id)
         order by d.id limit :minFailed) failed)
     order by w.id limit :maxRows for update of w skip locked`,
    { afterMs, minFailed, maxRows },
  );
  const reported: DueNotice[] = [];
  for (const row of rows) {
    await trx('webhooks')
      .where({ id: row.id })
      .update({
        enabled: false,
        disabled_reason: `No delivery has succeeded since ${row.since.toISOString()}.`,
        enabled_changed_at: trx.fn.now(),
        version: trx.raw('version + 1'),
        updated_at: trx.fn.now(),
        last_updated_by: systemAuthor.principal,
      });
    const action = 'webhook.updated';
    const changedFields = ['enabled', 'disabled_reason'];
    await recordChanges(trx, systemAuthor, [
      { workspaceId: row.workspaceId, action, resourceId: row.id, changedFields },
    ]);
    await trx('webhook_rate_limits').where({ webhook_id: row.id }).delete();
    await trx('webhook_pauses').where({ webhook_id: row.id }).delete();
    await makeDue(trx, row);
    reported.push(await report(trx, 'webhook.disabled', row));
  }
  return reported;
}

async function reportFailing(trx: Knex.Transaction, afterMs: number): Promise<DueNotice[]> {
  const { rows } = await trx.raw<{ rows: WebhookRow[] }>(
    `select ${webhookColumns}, ${failingFrom} as since
     from webhook_health h join webhooks w on w.id = h.webhook_id
     join workspace_settings s on s.workspace_id = w.workspace_id and s.notice_webhook_ids <> '{}'
     where h.failing and ${failingFrom} <= now() - :afterMs * interval '1 millisecond' and w.enabled
       and h.last_attempt_at >= ${failingFrom}
       and not exists (select from webhook_notices n
                       where n.webhook_id = w.id and n.failing_since + interval '1 millisecond' > ${failingFrom})
     order by w.id limit :maxRows`,
    { afterMs, maxRows },
  );
  const reported: DueNotice[] = [];
  for (const row of rows) {
    await trx('webhook_notices')
      .insert({ webhook_id: row.id, failing_since: row.since })
      .onConflict('webhook_id')
      .merge();
    reported.push(await report(trx, 'webhook.failing', row));
  }
  return reported;
}

/**
 * Reports webhooks that have succeeded since the notice about their failure, even if they are failing again. The new
 * failure gets its own notice after `noticeAfterMs`.
 */
async function reportRecovered(trx: Knex.Transaction): Promise<DueNotice[]> {
  const { rows } = await trx.raw<{ rows: WebhookRow[] }>(
    `select ${webhookColumns}, h.since
     from webhook_notices n join webhooks w on w.id = n.webhook_id
     join webhook_health h on h.webhook_id = n.webhook_id
     left join workspace_settings s on s.workspace_id = w.workspace_id
     where not h.failing or h.since > n.failing_since + interval '1 millisecond'
     order by w.id limit :maxRows`,
    { maxRows },
  );
  const reported: DueNotice[] = [];
  for (const row of rows) {
    await trx('webhook_notices').where({ webhook_id: row.id }).delete();
    reported.push(await report(trx, 'webhook.recovered', row));
  }
  return reported;
}

interface DeadLettersRow {
  workspaceId: string;
  noticeWebhookIds: string[];
  /** Lower bound of ids: notices of the workspace do not count dead letters with smaller ids. */
  firstId: string;
}

interface FoundDeadLetters {
  count: number;
  since: Date;
  /** Detail text of the newest dead letter. */
  detail: string;
}

/**
 * Minimum time between two notices about the dead letters of a workspace. The first notice of a workspace counts only
 * dead letters of the last 5 minutes.
 */
const deadLettersEvery = '5 minutes';
const maxCounted = 10_000;

/**
 * Writes notices about new dead letters, and marks each dead letter that a notice has counted. The marks are needed,
 * because an id is not sufficient to find new dead letters: a dead letter can be committed after a dead letter with a
 * greater id.
 */
async function reportDeadLetters(trx: Knex.Transaction): Promise<DueNotice[]> {
  const { rows: clock } = await trx.raw<{ rows: { since: Date }[] }>(
    `select now() - interval '${deadLettersEvery}' as since`,
  );
  const { rows } = await trx.raw<{ rows: DeadLettersRow[] }>(
    `select s.workspace_id as "workspaceId", cast(s.notice_webhook_ids as text[]) as "noticeWebhookIds",
            cast(coalesce(n.first_id, cast(:first as uuid)) as text) as "firstId"
     from workspace_settings s
     left join dead_letter_notices n on n.workspace_id = s.workspace_id
     where s.notice_webhook_ids <> '{}' and (n.noticed_at is null or n.noticed_at <= now() - interval '${deadLettersEvery}')
       and exists (select from dead_letters d
                   where d.workspace_id = s.workspace_id and not d.noticed
                     and d.id >= coalesce(n.first_id, cast(:first as uuid)))
     order by s.workspace_id limit :maxRows`,
    { first: firstIdAt(clock[0]!.since.getTime()), maxRows },
  );
  const reported: DueNotice[] = [];
  for (const { workspaceId, noticeWebhookIds, firstId } of rows) {
    await trx('dead_letter_notices')
      .insert({ workspace_id: workspaceId, first_id: firstId, noticed_at: trx.fn.now() })
      .onConflict('workspace_id')
      .merge(['noticed_at']);
    const { rows: found } = await trx.raw<{ rows: FoundDeadLetters[] }>(markNoticed, {
      workspaceId,
      firstId,
      maxCounted,
    });
    const { count, since, detail } = found[0]!;
    const event = 'dead_letter.created';
    await writeNotice(trx, {
      event,
      workspaceId,
      noticeWebhookIds,
      webhook: undefined,
      since,
      error: detail,
      count,
    });
    reported.push({ event, workspaceId, webhookId: undefined });
  }
  return reported;
}

const markNoticed = `
  with marked as (
    update dead_letters set noticed = true
    where id = any(array(
      select id from dead_letters
      where workspace_id = :workspaceId and not noticed and id >= :firstId
      order by id limit :maxCounted))
    returning id, created_at, detail
  )
  select count(*)::integer as count, min(created_at) as since, (array_agg(detail order by id desc))[1] as detail
  from marked`;
