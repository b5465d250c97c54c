import { hash } from 'node:crypto';
import { type DeadLetterReason, maxAlertBytes } from '@tocsin/contracts';
import {
  type Database,
  firstIdAt,
  highestId,
  recordId,
  sanitizeText,
  sqlArray,
  timeOfRecordId,
} from '@tocsin/database';

export interface DeadLetter {
  id: string;
  reason: DeadLetterReason;
  /** Reason as a sentence for people. */
  detail: string;
  queue: string;
  routingKey: string;
  content: Buffer;
  requestId: string | undefined;
  /** Id of the workspace that the message names, or undefined if the message contains no readable id. */
  workspaceId: string | undefined;
  /**
   * True if the broker has delivered the message before. A worker that crashed before it acknowledged the message may
   * have written the dead letter already.
   */
  redelivered: boolean;
}

export interface DeadLettersRepository {
  /**
   * Writes dead letters. Resolves after the commit, so that the messages can then be acknowledged. Duplicates are
   * skipped. A dead letter is a duplicate if its id exists already, or if its message was redelivered and an equal dead
   * letter was stored in the last hour and not requeued.
   */
  add(letters: DeadLetter[]): Promise<void>;
}

/**
 * Number of bytes that are stored of a message that is longer than `maxAlertBytes`. The API shows at most 64 KiB of a
 * dead letter, so more is stored than is shown.
 */
const truncatedBytes = 131_072;

/**
 * Returns the part of a message that is stored. A message of at most 1 MiB is stored completely, because it may be an
 * alert and can be requeued. Only the beginning of a larger message is stored.
 */
export function truncatePayload(content: Buffer): Buffer {
  return content.length > maxAlertBytes ? content.subarray(0, truncatedBytes) : content;
}

/**
 * Returns an id that consists of the time and a hash of the queue, routing key, request id and content of the message.
 * Dead letters of the same message thus have the same hash.
 */
export function deadLetterId(
  nowMs: number,
  { queue, routingKey, requestId, content }: Omit<DeadLetter, 'id' | 'workspaceId'>,
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

export function createDeadLettersRepository(database: Database): DeadLettersRepository {
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
        sqlArray.uuid(letters.map(({ workspaceId }) => workspaceId ?? null)),
      ]);
    },
  };
}

/** Position of the hash in the text of an id, counted from 1 as in SQL. */
const hashAt = 15;
/**
 * Maximum age of a dead letter of which a redelivered message is recognized as a duplicate, in milliseconds. After a
 * crash, the broker redelivers messages at once if another worker is running, so an hour is enough.
 */
const lookBackMs = 3_600_000;

function firstIdToCompare(redelivered: DeadLetter[]): string {
  if (redelivered.length === 0) return highestId;
  return firstIdAt(Math.min(...redelivered.map(({ id }) => timeOfRecordId(id))) - lookBackMs);
}

const add = {
  name: 'fan-out.add-dead-letters',
  text: `
    with known as materialized (
      select substring(id::text from ${hashAt}) as hash from dead_letters
      where requeued_at is null and id >= $11::uuid and substring(id::text from ${hashAt}) = any($10::text[])
    )
    insert into dead_letters (id, reason, detail, queue, routing_key, content, created_at, request_id, size_bytes,
                              workspace_id)
    select l.id, l.reason, l.detail, l.queue, l.routing_key, l.content, l.created_at, l.request_id, l.size_bytes,
           l.workspace_id
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::timestamptz[],
                $8::text[], $9::boolean[], $12::integer[], $13::uuid[])
      as l(id, reason, detail, queue, routing_key, content, created_at, request_id, redelivered, size_bytes,
           workspace_id)
    where not (l.redelivered and substring(l.id::text from ${hashAt}) in (select hash from known))
    on conflict (id) do nothing`,
};
