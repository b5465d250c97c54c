/**
 * The parsed value of a setting, or a problem. The problem completes the sentence "NAME …" and never contains the
 * value.
 */
export type ParseResult<T> = { value: T } | { problem: string };

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Parses a duration such as `250ms`, `5s`, `2m`, `1h` or `1d` to milliseconds. A result below `min` milliseconds is
 * rejected. A number without a unit is also rejected, because it is ambiguous.
 */
export function parseDurationMs(text: string, { min = 0 }: { min?: number } = {}): ParseResult<number> {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text);
  if (!match) return { problem: 'must be a duration with a unit, such as 250ms, 5s, 2m or 1h' };
  const value = Math.round(Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]);
  return value >= min ? { value } : { problem: `must be ${min / unitMs.s}s or more` };
}

export function parseInteger(text: string, range: { min?: number; max?: number }): ParseResult<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = range;
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return { value };
  return { problem: `must be a whole number${describeRange(range)}` };
}

export function parseBoolean(text: string): ParseResult<boolean> {
  const lower = text.toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(lower)) return { value: true };
  if (['false', '0', 'no', 'off'].includes(lower)) return { value: false };
  return { problem: 'must be true or false' };
}

/**
 * Accepts a URL with one of the `protocols`, which are written without a colon (`https`). The URL is returned
 * unchanged.
 */
export function parseUrl(text: string, protocols: readonly string[]): ParseResult<string> {
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1))) return { value: text };
  return {
    problem: `must be an absolute URL that begins with ${protocols.map((p) => `${p}://`).join(' or ')}`,
  };
}

function describeRange({ min, max }: { min?: number; max?: number }): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return `, ${min} or more`;
  return max === undefined ? '' : `, ${max} or less`;
}
