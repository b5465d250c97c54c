import { formatExact } from '../ui/format-time.js';

/** The text of a chip, for example `from 23 Nov 2026, 08:00:00 UTC`. */
export function timeChip(word: 'from' | 'before', time: string): string {
  return `${word} ${formatExact(Date.parse(time))}`;
}
