import { AppError } from '@tocsin/kit';
import { statsRange } from './stats-range.js';

const now = new Date('2026-03-10T12:34:56.789Z');

function shown(query: Parameters<typeof statsRange>[0]): [string, string, number] {
  const { fromMs, toMs, step } = statsRange(query, now);
  const stepsMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
  return [new Date(fromMs).toISOString(), new Date(toMs).toISOString(), (toMs - fromMs) / stepsMs[step]];
}

test.each<[Parameters<typeof statsRange>[0], [string, string, number]]>([
  [{}, ['2026-03-09T12:00:00.000Z', '2026-03-10T13:00:00.000Z', 25]],
  [{ step: 'day' }, ['2026-03-09T00:00:00.000Z', '2026-03-11T00:00:00.000Z', 2]],
  [
    { since: '2026-03-10T00:00:00+05:30', until: '2026-03-10T00:01:00.001+05:30', step: 'minute' },
    ['2026-03-09T18:30:00.000Z', '2026-03-09T18:32:00.000Z', 2],
  ],
  [
    { since: '2026-03-10T10:00:00Z', until: '2026-03-10T11:00:00Z' },
    ['2026-03-10T10:00:00.000Z', '2026-03-10T11:00:00.000Z', 1],
  ],
  [
    { since: '2026-03-09T11:34:00Z', step: 'minute', until: '2026-03-10T12:34:00Z' },
    ['2026-03-09T11:34:00.000Z', '2026-03-10T12:34:00.000Z', 1_500],
  ],
])('the range of the statistics query %j has the start, end and number of steps %j', (query, expected) => {
  expect(shown(query)).toEqual(expected);
});

test.each([
  [{ since: '2026-03-10T10:00:00Z', until: '2026-03-10T10:00:00Z' }, 'until'],
  [{ since: '2026-03-11T10:00:00Z' }, 'until'],
  [{ since: '2026-03-09T11:33:59.999Z', until: '2026-03-10T12:34:00Z', step: 'minute' as const }, 'step'],
  [{ since: '0001-01-01T00:00:00Z', step: 'day' as const }, 'step'],
])('the statistics query %j is rejected with an error of the parameter %s', (query, path) => {
  expect(() => statsRange(query, now)).toThrow(AppError);
  expect(() => statsRange(query, now)).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ path })] }),
  );
});
