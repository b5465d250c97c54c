const clockApis = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;
type ClockApi = (typeof clockApis)[number];

/** Returns the APIs that stay real (`doNotFake` of Jest) if only `simulated` ones have a simulated clock. */
export function realTimersExcept(...simulated: ClockApi[]): ClockApi[] {
  return clockApis.filter((api) => !simulated.includes(api));
}
