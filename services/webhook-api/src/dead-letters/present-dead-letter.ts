import type { DeadLetter } from '@tocsin/contracts';
import type { StoredDeadLetter } from './dead-letters-repository.js';

/**
 * Returns a dead letter as the API shows it. A complete message is shown as JSON if its JSON can be written without
 * loss. Any other message is shown as text if it is UTF-8, or else as base64.
 */
export function presentDeadLetter(letter: StoredDeadLetter): DeadLetter {
  const truncated = letter.sizeBytes > letter.beginning.length;
  return {
    id: letter.id,
    workspace_id: letter.workspaceId,
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
    // A truncated message can end within a character. In stream mode, the decoder accepts this.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content, { stream: truncated });
  } catch {
    return { message: content.toString('base64'), encoding: 'base64' };
  }
  return truncated ? { message: text, encoding: 'utf-8' } : parseMessage(text);
}

/**
 * Parses a message if its JSON can be serialized again without loss. A number that a double cannot represent, a minus
 * zero or a repeated name would be lost, although it can be the reason why the message is a dead letter. The depth is
 * limited, because the serializer is recursive and deep JSON could overflow the stack.
 */
function parseMessage(text: string): Pick<DeadLetter, 'message' | 'encoding'> {
  try {
    const message: DeadLetter['message'] = JSON.parse(text);
    if (!isNestedDeeper(message, maxDepth) && JSON.stringify(message) === normalized(text))
      return { message, encoding: 'json' };
  } catch {
    // Invalid JSON is shown as text instead.
  }
  return { message: text, encoding: 'utf-8' };
}

const stringSpaceOrZero = /"[^"\\]*(?:\\.[^"\\]*)*"|\s+|\.0(?![\deE])/g;

/**
 * Rewrites the details of JSON that may differ from the output of `JSON.stringify` without a loss: it removes white
 * space, replaces the escapes in strings, and writes `1.0` as `1`.
 */
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
