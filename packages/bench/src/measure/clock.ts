/** Milliseconds of the machine's monotonic clock: the same clock in every process, unlike `performance.now()`. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
