/**
 * Whole seconds to wait from `now` (milliseconds), out of a `Retry-After` value (RFC 9110 §10.2.3): a number of
 * seconds or an HTTP date. A date gone by is 0; what cannot be read is undefined.
 */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  if (!httpDate.test(text)) return undefined;
  // asctime names no zone; Date.parse would take it as local time.
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000));
}

/** The three forms of RFC 9110 §5.6.7, loosely: Date.parse alone reads nearly anything as a date. */
const httpDate = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d( GMT| \d{4})$/;
