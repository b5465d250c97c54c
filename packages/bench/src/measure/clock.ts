/**
 * Returns the time of the monotonic clock in milliseconds. Unlike `performance.now()`, its origin is the same in all
 * processes of the machine.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
