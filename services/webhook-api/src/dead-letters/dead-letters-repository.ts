import type { DeadLetterReason } from '@tocsin/contracts';
import {
  type AuditAuthor,
  type Database,
  readWithTimeout,
  recordChanges,
  type Transaction,
} from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';
import { countUpTo, inRange, newestInRange } from '../lists/list-query.js';
import { maxPageBytes } from '../lists/paging.js';
import { searchTimeoutMs } from '../lists/read-limiter.js';

export interface StoredDeadLetter {
  id: string;
  /** Id of the workspace that the message names; null if it names none. */
  workspaceId: string | null;
  reason: DeadLetterReason;
  detail: string;
  queue: string;
  routingKey: string;
  /** The first 64 KiB of the message. */
  beginning: Buffer;
  /** Size of the whole message in bytes. The table stores only the beginning of a message above 1 MiB. */
  sizeBytes: number;
  createdAt: Date;
  requeuedAt: Date | null;
  /** True if the row is in a list and exceeds the byte limit of its page. The message of such a row is not read. */
  beyondBudget: boolean;
}

interface DeadLetterSelection {
  /** Selects only dead letters that name this workspace. Undefined selects all. */
  workspaceId: string | undefined;
  /** True selects only requeued dead letters. False selects only those that are not requeued. Undefined selects all. */
  requeued: boolean | undefined;
}

interface DeadLetterQuery extends DeadLetterSelection {
  range: IdRange;
}

type RequeueOutcome =
  | { kind: 'requeued'; letter: StoredDeadLetter }
  | { kind: 'already_requeued' | 'being_requeued' | 'truncated' | 'not_found' };

/** A complete message, the queue from which it came, and the request id that was sent with it. */
export interface RequeuedMessage {
  queue: string;
  content: Buffer;
  requestId: string | null;
}

export interface DeadLettersRepository {
  /**
   * Lists dead letters, newest first. The values of `beginning` in a page add up to at most 4 MiB. In rows above this
   * limit, `beginning` is empty and `beyondBudget` is true.
   */
  list(query: DeadLetterQuery & { limit: number }): Promise<StoredDeadLetter[]>;
  /** Counts dead letters, up to `max`. */
  count(query: DeadLetterQuery, max: number): Promise<number>;
  /**
   * Calls `publish` with the message and marks the dead letter as requeued, unless it is unknown, truncated, already
   * requeued or being requeued. The row is locked during the call, so that concurrent calls publish the message once.
   */
  requeue(
    id: string,
    author: AuditAuthor,
    publish: (message: RequeuedMessage) => Promise<void>,
  ): Promise<RequeueOutcome>;
}

const shownBytes = 65_536;

export function createDeadLettersRepository(database: Database): DeadLettersRepository {
  return {
    list: ({ range, limit, ...query }) =>
      readWithTimeout(database, searchTimeoutMs, async (trx) => {
        const page = matching(trx, query).modify(newestInRange, { column: 'id', range, limit });
        const { rows } = await trx.raw<{ rows: StoredDeadLetter[] }>(
          `with page as materialized :page, found as (
             select id, workspace_id, reason, detail, queue, routing_key, created_at, requeued_at, size_bytes, content,
               row_number() over newest > 1 and
                 sum(least(octet_length(content), :shownBytes)) over newest > :maxPageBytes as "beyondBudget"
             from page join dead_letters using (id) window newest as (order by id desc)
           )
           select ${columns}, "beyondBudget",
             case when "beyondBudget" then '' else substring(content from 1 for :shownBytes) end as beginning
           from found order by id desc`,
          { page, shownBytes, maxPageBytes },
        );
        return rows;
      }),

    count: ({ range, ...query }, max) =>
      readWithTimeout(database, searchTimeoutMs, (trx) =>
        countUpTo(trx, matching(trx, query).modify(inRange, { column: 'id', range }), max),
      ),

    requeue: (id, author, publish) =>
      database.knex.transaction(async (trx): Promise<RequeueOutcome> => {
        // The statement below skips a locked row, so this statement checks first whether the row exists.
        const known = await trx('dead_letters').select('id').where({ id });
        if (known.length === 0) return { kind: 'not_found' };
        const letter: LockedLetter | undefined = await trx('dead_letters')
          .select(trx.raw(lockedColumns))
          .where({ id })
          .forUpdate()
          .skipLocked()
          .first();
        if (letter === undefined) return { kind: 'being_requeued' };
        const { workspaceId, isRequeued, isTruncated, ...message } = letter;
        if (isRequeued) return { kind: 'already_requeued' };
        if (isTruncated) return { kind: 'truncated' };
        await recordChanges(trx, author, [{ workspaceId, action: 'dead_letter.requeued', resourceId: id }]);
        await publish(message);
        const { rows } = await trx.raw<{ rows: StoredDeadLetter[] }>(
          `update dead_letters set requeued_at = clock_timestamp() where id = :id
           returning ${columns}, substring(content from 1 for :shownBytes) as beginning, false as "beyondBudget"`,
          { id, shownBytes },
        );
        return { kind: 'requeued', letter: rows[0]! };
      }),
  };
}

function matching(trx: Transaction, { workspaceId, requeued }: DeadLetterSelection) {
  const query = trx('dead_letters').select('id');
  if (workspaceId !== undefined) query.where({ workspace_id: workspaceId });
  if (requeued === true) query.whereNotNull('requeued_at');
  if (requeued === false) query.whereNull('requeued_at');
  return query;
}

const columns = `id, workspace_id as "workspaceId", reason, detail, queue, routing_key as "routingKey",
  coalesce(size_bytes, octet_length(content)) as "sizeBytes", created_at as "createdAt", requeued_at as "requeuedAt"`;

const lockedColumns = `workspace_id as "workspaceId", queue, content, request_id as "requestId", requeued_at is not null as "isRequeued",
  coalesce(size_bytes > octet_length(content), false) as "isTruncated"`;

interface LockedLetter extends RequeuedMessage {
  workspaceId: string | null;
  isRequeued: boolean;
  isTruncated: boolean;
}
