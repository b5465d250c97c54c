import { formatExact } from '../ui/format-time.js';

/** Formats a time filter, for example `from 23 Nov 2026, 08:00:00 UTC`. */
export function timeChip(word: 'from' | 'before', time: string): string {
  return `${word} ${formatExact(Date.parse(time))}`;
}
