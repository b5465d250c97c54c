import type { Webhook } from '../api/schemas.js';
import type { Color } from './text.js';

type Health = Webhook['health'];

export const healthColors: Readonly<Record<Health['state'], Color>> = {
  healthy: 'green',
  failing: 'red',
  paused: 'yellow',
  disabled: 'dim',
  unknown: 'dim',
};

/** Returns a string such as `failing since 2026-01-31T12:00:00.000Z, 94 % succeeded in 24 h`. */
export function describeHealth({ state, since, success_rate_24h }: Health): string {
  const start = since === null ? '' : ` since ${since}`;
  const rate = success_rate_24h === null ? '' : `, ${Math.round(success_rate_24h * 100)} % succeeded in 24 h`;
  return `${state}${start}${rate}`;
}

/** Returns the last error with its code and time, or null if there was none. */
export function describeLastError({ last_error }: Health): string | null {
  return last_error === null ? null : `${last_error.error} (${last_error.code}, ${last_error.at})`;
}

/** Returns the last error of a webhook that is failing or paused now, or an empty string for other webhooks. */
export function describeTrouble({ state, last_error }: Health): string {
  return state === 'failing' || state === 'paused' ? (last_error?.error ?? '') : '';
}
