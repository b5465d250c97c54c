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

/** Returns a value for Jest's option `doNotFake` with which Jest fakes only the APIs in `simulated`. */
export function realTimersExcept(...simulated: ClockApi[]): ClockApi[] {
  return clockApis.filter((api) => !simulated.includes(api));
}
