import { isUtf8 } from 'node:buffer';
import { type AlertFired, type Check, maxAlertBytes } from '@tocsin/contracts';
import { maxBytesForAllErrors } from '@tocsin/kit';
import type { Unprocessable } from '../dead-letters/dead-letters.js';

const listAll = { listAll: true };
const listFirst = { listAll: false };

/** Parses the content of a message as an alert. Never throws. */
export function parseMessage(
  content: Buffer,
  check: Check<AlertFired>,
): { kind: 'alert'; alert: AlertFired } | Unprocessable {
  if (content.length > maxAlertBytes)
    return {
      kind: 'unprocessable',
      reason: 'invalid_message',
      detail: `The message has ${content.length} bytes, an alert has at most ${maxAlertBytes}. It was not parsed, and only its beginning is stored.`,
    };
  let value: unknown;
  try {
    value = JSON.parse(textOf(content));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    return {
      kind: 'unprocessable',
      reason: 'malformed_message',
      detail: truncated(`The message is not JSON: ${why}`),
    };
  }
  const checked = check(value, content.length <= maxBytesForAllErrors ? listAll : listFirst);
  if (checked.ok) return { kind: 'alert', alert: checked.value };
  const detail = checked.errors.map(({ path, message }) => `${path || 'The message'} ${message}`).join('; ');
  return { kind: 'unprocessable', reason: 'invalid_message', detail: truncated(detail) };
}

const maxDetail = 2_000;

function truncated(detail: string): string {
  return detail.length > maxDetail ? `${detail.slice(0, maxDetail)}…` : detail;
}

/**
 * Decodes UTF-8 and removes a byte order mark. The result is that of a `TextDecoder` with the option `fatal`, in less
 * time.
 * @throws Error if the content is not UTF-8
 */
function textOf(content: Buffer): string {
  if (!isUtf8(content)) throw new Error('not UTF-8');
  const text = content.toString();
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

const workspaceMember = '"workspace_id"';
const uuidLength = 36;

/**
 * Returns the workspace id of an alert message without parsing it: the 36 characters of the value after the first name
 * `workspace_id`. Waiting messages are served round robin by this id. It can be wrong or empty if the message is not a
 * valid alert, or if a label has the same name, so it must not be used for any other decision.
 */
export function namedWorkspace(content: Buffer): string {
  const member = content.indexOf(workspaceMember);
  if (member === -1) return '';
  const start = content.indexOf('"', member + workspaceMember.length) + 1;
  return content.toString('latin1', start, start + uuidLength).toLowerCase();
}
