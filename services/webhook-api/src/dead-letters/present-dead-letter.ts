import type { DeadLetter } from '@tocsin/contracts';
import type { StoredDeadLetter } from './dead-letters-repository.js';

/** A dead letter as an operator sees it: its message as JSON where it is that, else as text, else as base64. */
export function presentDeadLetter(letter: StoredDeadLetter): DeadLetter {
  const truncated = letter.sizeBytes > letter.beginning.length;
  return {
    id: letter.id,
    reason: letter.reason,
    detail: letter.detail,
    queue: letter.queue,
    routing_key: letter.routingKey,
    ...readMessage(letter.beginning, truncated),
    size_bytes: letter.sizeBytes,
    truncated,
    created_at: letter.createdAt.toISOString(),
    requeued_at: letter.requeuedAt?.toISOString() ?? null,
  };
}

export function readMessage(content: Buffer, truncated: boolean): Pick<DeadLetter, 'message' | 'encoding'> {
  let text: string;
  try {
    // A cut may have split a character: as a stream, the decoder lets an unfinished end pass.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content, { stream: truncated });
  } catch {
    return { message: content.toString('base64'), encoding: 'base64' };
  }
  return truncated ? { message: text, encoding: 'utf-8' } : parseMessage(text);
}

/**
 * As JSON only where writing that again says what the message said: a number beyond what a double holds, a minus zero
 * or the first of two equal names would be lost, and may be why it is here. Nesting is bounded because writing recurses.
 */
function parseMessage(text: string): Pick<DeadLetter, 'message' | 'encoding'> {
  try {
    const message: DeadLetter['message'] = JSON.parse(text);
    if (!isNestedDeeper(message, maxDepth) && JSON.stringify(message) === normalized(text))
      return { message, encoding: 'json' };
  } catch {
    // Not JSON: that may be why it is here.
  }
  return { message: text, encoding: 'utf-8' };
}

const stringSpaceOrZero = /"[^"\\]*(?:\\.[^"\\]*)*"|\s+|\.0(?![\deE])/g;

/** JSON without its white space, strings escaped as JavaScript does, and `1.0`, which is the number 1, as `1`. */
function normalized(json: string): string {
  return json.replace(stringSpaceOrZero, (part) =>
    part.startsWith('"') ? JSON.stringify(JSON.parse(part)) : '',
  );
}

const maxDepth = 100;

function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isNestedDeeper(child, levels - 1));
}
