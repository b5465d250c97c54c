import { randomUUID } from 'node:crypto';
import type { DeadLetterReason } from '@tocsin/contracts';
import { type Database, recordId } from '@tocsin/database';
import { storableText } from '../storable-text.js';
import { maxAlertBytes } from './parse-message.js';

interface DeadLetter {
  reason: DeadLetterReason;
  /** A sentence for people. */
  detail: string;
  queue: string;
  routingKey: string;
  content: Buffer;
  requestId: string | undefined;
}

export interface DeadLetterRepository {
  /** Commits before it resolves, so that the message may be acknowledged. */
  add(letter: DeadLetter): Promise<void>;
}

export function createDeadLetterRepository(database: Database): DeadLetterRepository {
  return {
    async add({ reason, detail, queue, routingKey, content, requestId }) {
      const now = new Date();
      await database.prepared(add, [
        recordId(now.getTime(), randomUUID()),
        reason,
        storableText(detail),
        queue,
        routingKey,
        keptOf(content),
        now,
        requestId ?? null,
      ]);
    },
  };
}

/** More than is ever shown of one, so that it is shown as cut. */
const keptBytes = 131_072;

/** All of what could be an alert, so that it can be put back; of anything larger the beginning. */
function keptOf(content: Buffer): Buffer {
  return content.length > maxAlertBytes ? content.subarray(0, keptBytes) : content;
}

const add = {
  name: 'fan-out.add-dead-letter',
  text: `insert into dead_letters (id, reason, detail, queue, routing_key, content, created_at, request_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};
