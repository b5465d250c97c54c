import { hash } from 'node:crypto';
import type { DeadLetterReason } from '@tocsin/contracts';
import { type Database, firstIdAt, recordId, sqlArray, timeOfRecordId } from '@tocsin/database';
import { sanitizeText } from '../sanitize-text.js';

export interface DeadLetter {
  id: string;
  reason: DeadLetterReason;
  /** A sentence for people. */
  detail: string;
  queue: string;
  routingKey: string;
  content: Buffer;
  requestId: string | undefined;
  /** A worker that died before its acknowledgement may have written this letter already. */
  redelivered: boolean;
}

export interface DeadLetterRepository {
  /**
   * Resolves after the commit, so that the messages may be acknowledged. A letter that is there is not written redelivered; for
   * a redelivered message neither is one that equals a letter of the last hour, unless that one was requeued.
   */
  add(letters: DeadLetter[]): Promise<void>;
}

/**
 * Largest message that is parsed as an alert. Tocsin's own have a few kilobytes. A message as large as the broker accepts
 * by default (128 MiB) would cost more memory than the process has, and would stop one worker after the other.
 */
export const maxAlertBytes = 1_048_576;

/** More than the API ever shows of a message, so that it is shown as truncated. */
const truncatedBytes = 131_072;

/** The part of a message that is stored: all of what can be an alert, so that it can be requeued; else its beginning. */
export function truncatePayload(content: Buffer): Buffer {
  return content.length > maxAlertBytes ? content.subarray(0, truncatedBytes) : content;
}

/** Contains the time and a hash of everything that tells two letters apart. */
export function deadLetterId(
  nowMs: number,
  { queue, routingKey, requestId, content }: Omit<DeadLetter, 'id'>,
): string {
  const parts = [
    queue,
    routingKey,
    requestId ?? '',
    content.length,
    hash('sha256', truncatePayload(content)),
  ];
  return recordId(nowMs, JSON.stringify(parts));
}

export function createDeadLetterRepository(database: Database): DeadLetterRepository {
  return {
    async add(letters) {
      const redelivered = letters.filter(({ redelivered }) => redelivered);
      await database.prepared(add, [
        sqlArray.uuid(letters.map(({ id }) => id)),
        sqlArray.text(letters.map(({ reason }) => reason)),
        sqlArray.text(letters.map(({ detail }) => sanitizeText(detail))),
        sqlArray.text(letters.map(({ queue }) => queue)),
        sqlArray.text(letters.map(({ routingKey }) => sanitizeText(routingKey))),
        sqlArray.bytea(letters.map(({ content }) => truncatePayload(content))),
        sqlArray.timestamptz(letters.map(({ id }) => new Date(timeOfRecordId(id)))),
        sqlArray.text(letters.map(({ requestId }) => requestId ?? null)),
        sqlArray.boolean(letters.map(({ redelivered }) => redelivered)),
        sqlArray.text(redelivered.map(({ id }) => id.slice(hashAt - 1))),
        firstIdToCompare(redelivered),
        sqlArray.integer(letters.map(({ content }) => content.length)),
      ]);
    },
  };
}

/** Position of the hash in an id, counted from 1 as SQL does. */
const hashAt = 15;
/** The broker redelivers the messages of a dead worker at once if there is another worker. */
const lookBackMs = 3_600_000;
const beyondAllIds = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function firstIdToCompare(redelivered: DeadLetter[]): string {
  if (redelivered.length === 0) return beyondAllIds;
  return firstIdAt(Math.min(...redelivered.map(({ id }) => timeOfRecordId(id))) - lookBackMs);
}

const add = {
  name: 'fan-out.add-dead-letters',
  text: `
    with known as materialized (
      select substring(id::text from ${hashAt}) as hash from dead_letters
      where requeued_at is null and id >= $11::uuid and substring(id::text from ${hashAt}) = any($10::text[])
    )
    insert into dead_letters (id, reason, detail, queue, routing_key, content, created_at, request_id, size_bytes)
    select l.id, l.reason, l.detail, l.queue, l.routing_key, l.content, l.created_at, l.request_id, l.size_bytes
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::timestamptz[],
                $8::text[], $9::boolean[], $12::integer[])
      as l(id, reason, detail, queue, routing_key, content, created_at, request_id, redelivered, size_bytes)
    where not (l.redelivered and substring(l.id::text from ${hashAt}) in (select hash from known))
    on conflict (id) do nothing`,
};
