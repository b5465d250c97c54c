export interface TimeRange {
  /** Value of the query parameter `range` in the address of the page. */
  name: string;
  label: string;
  lengthMs: number;
  step: 'minute' | 'hour' | 'day';
}

const hourMs = 3_600_000;

/**
 * Time ranges that the overview offers. Each range has 24 to 168 time steps, or one more if the range starts within a
 * step.
 */
export const timeRanges: readonly TimeRange[] = [
  { name: '1h', label: 'Last hour', lengthMs: hourMs, step: 'minute' },
  { name: '24h', label: 'Last 24 hours', lengthMs: 24 * hourMs, step: 'hour' },
  { name: '7d', label: 'Last 7 days', lengthMs: 7 * 24 * hourMs, step: 'hour' },
  { name: '30d', label: 'Last 30 days', lengthMs: 30 * 24 * hourMs, step: 'day' },
];

export function timeRangeOf(name: string | null): TimeRange {
  return timeRanges.find((range) => range.name === name) ?? timeRanges[1]!;
}
