const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/**
 * Formats the difference between a time and the present time in the largest unit that fits, for example `3 minutes ago`
 * or `in 2 hours`. A positive difference is in the future.
 */
export function formatRelative(differenceMs: number): string {
  const size = Math.abs(differenceMs);
  if (size < 5_000) return differenceMs > 1_000 ? 'in a few seconds' : 'just now';
  const [unit, lengthMs] = units.find(([, length]) => size >= length) ?? units[3];
  return relative.format(Math.trunc(differenceMs / lengthMs), unit);
}

/** Formats an elapsed time in the largest unit that fits, for example `6 minutes`. */
export function formatElapsed(elapsedMs: number): string {
  const [unit, lengthMs] = units.find(([, length]) => elapsedMs >= length) ?? units[3];
  if (elapsedMs < 5_000) return 'a few seconds';
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.trunc(elapsedMs / lengthMs),
  );
}

/**
 * Formats a time (Unix milliseconds) as local date and time with seconds and time zone. Returns `unknown time` for NaN.
 */
export function formatExact(timeMs: number): string {
  if (Number.isNaN(timeMs)) return 'unknown time';
  return new Date(timeMs).toLocaleString('en-GB', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
}

/**
 * Formats a duration in the largest unit that fits, such as `84 ms`, `1.2 s` or `3 min`, without a line break before
 * the unit.
 */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}\u00a0ms`;
  if (ms < 60_000) return `${trim(ms / 1_000)}\u00a0s`;
  if (ms < 3_600_000) return `${trim(ms / 60_000)}\u00a0min`;
  return `${trim(ms / 3_600_000)}\u00a0h`;
}

function trim(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}
