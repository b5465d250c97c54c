import type { DeadLetterReason } from '@tocsin/contracts';
import { type Database, readWithTimeout } from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';
import { searchTimeoutMs } from '../lists/searches.js';

export interface StoredDeadLetter {
  id: string;
  reason: DeadLetterReason;
  detail: string;
  queue: string;
  routingKey: string;
  /** The message's beginning, 64 KiB at most. */
  beginning: Buffer;
  /** Of the whole message, also where only its beginning is kept. */
  sizeBytes: number;
  createdAt: Date;
  requeuedAt: Date | null;
  /** Of a list: this row does not fit into the page's budget of bytes, and its message was left out. */
  beyondBudget: boolean;
}

interface DeadLetterQuery {
  range: IdRange;
  /** Only those that were put back, or only those that were not. */
  requeued: boolean | undefined;
  limit: number;
}

type RequeueOutcome =
  | { kind: 'requeued'; letter: StoredDeadLetter }
  | { kind: 'already_requeued' | 'being_requeued' | 'not_kept_whole' | 'not_found' };

/** What is put back: the whole message, the queue that it came from, and the id of its request. */
export interface Requeued {
  queue: string;
  content: Buffer;
  requestId: string | null;
}

export interface DeadLettersRepository {
  /** Newest first. Messages are read until they come to 4 MiB: the rows behind are marked, and begin the next page. */
  list(query: DeadLetterQuery): Promise<StoredDeadLetter[]>;
  /** Marks a letter as put back once `publish` has; the row is locked meanwhile, so that it happens once. */
  requeue(id: string, publish: (letter: Requeued) => Promise<void>): Promise<RequeueOutcome>;
}

export function createDeadLettersRepository(database: Database): DeadLettersRepository {
  return {
    list: ({ range, requeued, limit }) =>
      readWithTimeout(database, searchTimeoutMs, async (trx) => {
        const { rows } = await trx.raw<{ rows: DeadLetterRow[] }>(
          `with page as materialized (
             select id from dead_letters where id >= :from and id < :below
               ${requeued === undefined ? '' : `and requeued_at is ${requeued ? 'not null' : 'null'}`}
             order by id desc limit :limit
           ), shown as (
             select id, reason, detail, queue, routing_key, created_at, requeued_at, size_bytes, content, row_number() over newest > 1 and
               sum(least(octet_length(content), :shownBytes)) over newest > :pageBytes as beyond_budget
             from page join dead_letters using (id) window newest as (order by id desc)
           )
           select ${columns}, beyond_budget,
             case when beyond_budget then '' else substring(content from 1 for :shownBytes) end as beginning
           from shown order by id desc`,
          { ...range, limit, shownBytes, pageBytes },
        );
        return rows.map(toDeadLetter);
      }),

    requeue: (id, publish) =>
      database.knex.transaction(async (trx): Promise<RequeueOutcome> => {
        // Asked for apart, so that a row that is locked is told from one that is not there.
        const known = await trx.raw('select 1 from dead_letters where id = :id', { id });
        if (known.rows.length === 0) return { kind: 'not_found' };
        const found = await trx.raw<{ rows: (Requeued & { requeued_at: Date | null; is_cut: boolean })[] }>(
          `select queue, content, request_id as "requestId", requeued_at,
             ${sizeBytes} > octet_length(content) as is_cut from dead_letters where id = :id for update skip locked`,
          { id },
        );
        const letter = found.rows[0];
        if (letter === undefined) return { kind: 'being_requeued' };
        if (letter.requeued_at !== null) return { kind: 'already_requeued' };
        if (letter.is_cut) return { kind: 'not_kept_whole' };
        const { queue, content, requestId } = letter;
        await publish({ queue, content, requestId });
        const { rows } = await trx.raw<{ rows: DeadLetterRow[] }>(
          `update dead_letters set requeued_at = clock_timestamp() where id = :id
           returning ${columns}, substring(content from 1 for :shownBytes) as beginning, false as beyond_budget`,
          { id, shownBytes },
        );
        return { kind: 'requeued', letter: toDeadLetter(rows[0]!) };
      }),
  };
}

const shownBytes = 65_536;
const pageBytes = 4 * 1_048_576;

/** Workers of an earlier version told the size of what they cut off in their sentence for people only. */
const sizeBytes = `coalesce(size_bytes, substring(detail from '^The message has ([0-9]{1,9}) bytes.*beginning is kept')::integer,
  octet_length(content))`;
const columns = `id, reason, detail, queue, routing_key, ${sizeBytes} as size_bytes, created_at, requeued_at`;

interface DeadLetterRow {
  id: string;
  reason: DeadLetterReason;
  detail: string;
  queue: string;
  routing_key: string;
  size_bytes: number;
  beginning: Buffer;
  created_at: Date;
  requeued_at: Date | null;
  beyond_budget: boolean;
}

function toDeadLetter(row: DeadLetterRow): StoredDeadLetter {
  return {
    id: row.id,
    reason: row.reason,
    detail: row.detail,
    queue: row.queue,
    routingKey: row.routing_key,
    beginning: row.beginning,
    sizeBytes: row.size_bytes,
    createdAt: row.created_at,
    requeuedAt: row.requeued_at,
    beyondBudget: row.beyond_budget,
  };
}
