import { isUtf8 } from 'node:buffer';
import type { AlertFired, Checked, DeadLetterReason } from '@tocsin/contracts';
import { maxAlertBytes } from '../dead-letters/kept-of.js';

/** Why a message can never be processed. */
export interface Unusable {
  ok: false;
  reason: DeadLetterReason;
  /** A sentence for people; it may quote the message. */
  detail: string;
}

/** Reads one alert-fired message. Never throws. */
export function parseMessage(
  content: Buffer,
  check: (value: unknown) => Checked<AlertFired>,
): { ok: true; alert: AlertFired } | Unusable {
  if (content.length > maxAlertBytes)
    return {
      ok: false,
      reason: 'invalid_message',
      detail: `The message has ${content.length} bytes, an alert has ${maxAlertBytes} at the most. It was not read, and only its beginning is kept.`,
    };
  let value: unknown;
  try {
    value = JSON.parse(textOf(content));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    return {
      ok: false,
      reason: 'malformed_message',
      detail: shortened(`The message is not JSON: ${why}`),
    };
  }
  const checked = check(value);
  if (checked.ok) return { ok: true, alert: checked.value };
  const detail = checked.faults.map(({ path, message }) => `${path || 'The message'} ${message}`).join('; ');
  return { ok: false, reason: 'invalid_message', detail: shortened(detail) };
}

const maxDetail = 2_000;

function shortened(detail: string): string {
  return detail.length > maxDetail ? `${detail.slice(0, maxDetail)}…` : detail;
}

/** As a fatal TextDecoder reads it, byte order mark included, at a fraction of its cost. */
function textOf(content: Buffer): string {
  if (!isUtf8(content)) throw new Error('not UTF-8');
  const text = content.toString();
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
