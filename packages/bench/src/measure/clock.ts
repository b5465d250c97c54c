/** Returns milliseconds of the monotonic clock. All processes share its origin, unlike that of `performance.now()`. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
