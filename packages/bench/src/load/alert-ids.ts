/**
 * Returns an alert id that contains its run (in the second group of digits) and its sequence number (in the last
 * group). The destination can therefore count alerts without a lookup.
 */
export function alertIdOf(run: number, sequence: number): string {
  return `be0c4000-${hex(run, 4)}-4000-8000-${hex(sequence, 12)}`;
}

/** Returns inclusive bounds that contain every alert id of a run and no id of another run. */
export function alertIdsOfRun(run: number): { first: string; last: string } {
  return {
    first: `be0c4000-${hex(run, 4)}-0000-0000-000000000000`,
    last: `be0c4000-${hex(run, 4)}-ffff-ffff-ffffffffffff`,
  };
}

/** Positions of the run and of the sequence number in an alert id. */
export const runAt = { start: 9, end: 13 } as const;
export const sequenceAt = { start: 24, end: 36 } as const;

/** Returns `count` ids of webhooks that do not exist. Each alert of each run gets different ids. */
export function unknownIds({
  run,
  sequence,
  count,
}: {
  run: number;
  sequence: number;
  count: number;
}): string[] {
  return Array.from(
    { length: count },
    (_, index) => `be0c4001-${hex(run, 4)}-4000-8${hex(index, 3)}-${hex(sequence, 12)}`,
  );
}

/** Returns the sequence number of an alert within its run. */
export function sequenceOf(alertId: string): number {
  return Number.parseInt(alertId.slice(sequenceAt.start, sequenceAt.end), 16);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
