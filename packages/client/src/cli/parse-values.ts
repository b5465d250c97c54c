import { type Command, InvalidArgumentError, Option } from 'commander';

// Parsers of option values. They throw usage errors, to which commander adds the name of the option.

export function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.');
  return value;
}

export function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
}

export function parseBound(text: string): 'upper_bound' | 'lower_bound' {
  if (text === 'upper' || text === 'upper_bound') return 'upper_bound';
  if (text === 'lower' || text === 'lower_bound') return 'lower_bound';
  throw new InvalidArgumentError('It must be upper or lower.');
}

/** Parses a header `Name: value` of a repeatable option. Adds it to `before`, the headers that were given earlier. */
export function parseHeader(text: string, before: Record<string, string[]> = {}): Record<string, string[]> {
  const colon = text.indexOf(':');
  const name = text.slice(0, colon).trim();
  if (colon < 1 || name === '') throw new InvalidArgumentError('It must be written "Name: value".');
  const earlier = Object.hasOwn(before, name) ? (before[name] ?? []) : [];
  return { ...before, [name]: [...earlier, text.slice(colon + 1).trim()] };
}

/** Parses a pair `name=value` of a repeatable option. Adds it to `before`, the pairs that were given earlier. */
export function parsePair(text: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must be written name=value.');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

/**
 * Parses `name=value` or `name:value`, given for a repeatable option, into a label filter of the API. Adds the filter
 * to `before`, the filters that were given earlier.
 */
export function parseLabelFilter(text: string, before: string[] = []): string[] {
  const [, name, value] = /^([^=:]+)[=:](.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('It must be written name=value.');
  return [...before, `${name}:${value}`];
}

export function collect(text: string, before: string[] = []): string[] {
  return [...before, text];
}

const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Returns the Unix time of an ISO date, in milliseconds, or NaN for any other text. `Date.parse` itself also accepts
 * texts such as "2", for an age without a unit, and returns a time in 2001.
 */
function parseDate(text: string): number {
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}

/** Parses a time, or a duration before now such as `90s`, `15m`, `2h`, `7d`. Returns the time in ISO 8601, in UTC. */
export function parseTime(text: string): string {
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const timeMs = amount === undefined ? parseDate(text) : Date.now() - Number(amount) * (unitMs[unit] ?? 0);
  if (Number.isNaN(timeMs))
    throw new InvalidArgumentError(
      'It must be a time such as 2026-01-31T09:00:00Z, or an age such as 15m, 2h, 7d.',
    );
  return new Date(timeMs).toISOString();
}

/** Parses a number of seconds, or a duration such as `90s`, `15m`, `2h`, `7d`. Returns seconds. */
export function parseSeconds(text: string): number {
  return Math.ceil(parseDurationMs(/^\d+$/.test(text) ? `${text}s` : text) / 1_000);
}

/** Parses a duration such as `500ms`, `90s`, `15m`, `2h`, `7d`. Returns milliseconds. */
export function parseDurationMs(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})(ms|[smhd])$/.exec(text) ?? [];
  if (amount === undefined)
    throw new InvalidArgumentError('It must be a duration such as 500ms, 90s, 15m, 2h, 7d.');
  return Number(amount) * (unit === 'ms' ? 1 : (unitMs[unit] ?? 0));
}

/** Parses a time, or a duration after now such as `15m`. Returns the time in ISO 8601, in UTC. */
export function parseTimeAhead(text: string): string {
  const isDuration = /^\d{1,6}[smhd]$/.test(text);
  const timeMs = isDuration ? Date.now() + parseDurationMs(text) : parseDate(text);
  if (Number.isNaN(timeMs))
    throw new InvalidArgumentError(
      'It must be a time such as 2026-01-31T09:00:00Z, or a duration such as 15m, 2h, 7d.',
    );
  return new Date(timeMs).toISOString();
}

/**
 * Returns the value of a flag, or null for its `--no-` form. An empty string or a zero stays unchanged, so that the API
 * receives and rejects it.
 */
export function orNull<T>(value: T | false): T | null {
  return value === false ? null : value;
}

/** Adds the options `--since` and `--until`. */
export function withTimeRange(command: Command): Command {
  return command
    .option('--since <time>', 'a time, or an age such as 15m, 2h, 7d', parseTime)
    .option('--until <time>', 'a time, or an age', parseTime);
}

/** Adds the option `--if-match`. */
export function withIfMatch(command: Command): Command {
  return command.option(
    '--if-match <etag>',
    'change it only if it still has this ETag, which get prints; include the quotes',
  );
}

/** Creates an option that accepts only the listed values. */
export function choice(
  flags: string,
  { of, description }: { of: readonly string[]; description: string },
): Option {
  return new Option(flags, description).choices(of);
}
