/** Returns milliseconds of the machine's monotonic clock. Unlike `performance.now()`, all processes share its origin. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
