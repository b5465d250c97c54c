import { hash } from 'node:crypto';
import type { DeadLetterReason } from '@tocsin/contracts';
import { type Database, firstIdAt, recordId, sqlArray, timeOfRecordId } from '@tocsin/database';
import { sanitizeText } from '../sanitize-text.js';
import { keptOf } from './kept-of.js';

export interface DeadLetter {
  /** Decided once, so that adding it again where the answer was lost adds nothing. */
  id: string;
  reason: DeadLetterReason;
  /** A sentence for people. */
  detail: string;
  queue: string;
  routingKey: string;
  content: Buffer;
  requestId: string | undefined;
  /** It may have been set aside before, by a worker that died before its acknowledgement. */
  redelivered: boolean;
}

export interface DeadLetterRepository {
  /**
   * Commits before it resolves, so that the messages may be acknowledged. Of one that was handed out before nothing is
   * added where an equal letter of the last hour has not been put back.
   */
  add(letters: DeadLetter[]): Promise<void>;
}

/** Its time, and a hash of all that tells letters apart. */
export function deadLetterId(
  nowMs: number,
  { queue, routingKey, requestId, content }: Omit<DeadLetter, 'id'>,
): string {
  const parts = [queue, routingKey, requestId ?? '', content.length, hash('sha256', keptOf(content))];
  return recordId(nowMs, JSON.stringify(parts));
}

export function createDeadLetterRepository(database: Database): DeadLetterRepository {
  return {
    async add(letters) {
      const again = letters.filter(({ redelivered }) => redelivered);
      await database.prepared(add, [
        sqlArray.uuid(letters.map(({ id }) => id)),
        sqlArray.text(letters.map(({ reason }) => reason)),
        sqlArray.text(letters.map(({ detail }) => sanitizeText(detail))),
        sqlArray.text(letters.map(({ queue }) => queue)),
        sqlArray.text(letters.map(({ routingKey }) => sanitizeText(routingKey))),
        sqlArray.bytea(letters.map(({ content }) => keptOf(content))),
        sqlArray.timestamptz(letters.map(({ id }) => new Date(timeOfRecordId(id)))),
        sqlArray.text(letters.map(({ requestId }) => requestId ?? null)),
        sqlArray.boolean(letters.map(({ redelivered }) => redelivered)),
        sqlArray.text(again.map(({ id }) => id.slice(markAt - 1))),
        firstLookedAt(again),
        sqlArray.integer(letters.map(({ content }) => content.length)),
      ]);
    },
  };
}

/** Where the hash begins in an id, counted from 1 as SQL does. */
const markAt = 15;
/** A message whose worker died is handed out again at once, where another worker is there. */
const lookBackMs = 3_600_000;
const beyondAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function firstLookedAt(again: DeadLetter[]): string {
  if (again.length === 0) return beyondAll;
  return firstIdAt(Math.min(...again.map(({ id }) => timeOfRecordId(id))) - lookBackMs);
}

const add = {
  name: 'fan-out.add-dead-letters',
  text: `
    with known as materialized (
      select substring(id::text from ${markAt}) as mark from dead_letters
      where requeued_at is null and id >= $11::uuid and substring(id::text from ${markAt}) = any($10::text[])
    )
    insert into dead_letters (id, reason, detail, queue, routing_key, content, created_at, request_id, size_bytes)
    select l.id, l.reason, l.detail, l.queue, l.routing_key, l.content, l.created_at, l.request_id, l.size_bytes
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::timestamptz[],
                $8::text[], $9::boolean[], $12::integer[])
      as l(id, reason, detail, queue, routing_key, content, created_at, request_id, redelivered, size_bytes)
    where not (l.redelivered and substring(l.id::text from ${markAt}) in (select mark from known))
    on conflict (id) do nothing`,
};
