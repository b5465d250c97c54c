import { realTimersExcept } from '@tocsin/testing';
import { parseTime, parseTimeAhead } from './parse-values.js';

const { jest } = import.meta;
const now = Date.parse('2026-03-01T12:00:00Z');
beforeEach(() => void jest.useFakeTimers({ doNotFake: realTimersExcept('Date'), now }));
afterEach(() => void jest.useRealTimers());

test.each([
  ['2h', '2026-03-01T10:00:00.000Z', '2026-03-01T14:00:00.000Z'],
  ['7d', '2026-02-22T12:00:00.000Z', '2026-03-08T12:00:00.000Z'],
])('the duration %s is subtracted from the time, or added to it', (text, before, after) => {
  expect([parseTime(text), parseTimeAhead(text)]).toEqual([before, after]);
});

test.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T09:00:00+02:00', '2026-01-31T07:00:00.000Z'],
])('the ISO date %s is a time', (text, time) => {
  expect([parseTime(text), parseTimeAhead(text)]).toEqual([time, time]);
});

test.each(['2', '15', '2 h', '-2h', '1/2/2026', 'March 1', '2026', '2026-13-01', ''])(
  'the text %j is neither an ISO date nor a duration, and is rejected',
  (text) => {
    expect(() => parseTime(text)).toThrow('a time such as 2026-01-31T09:00:00Z, or an age such as 15m');
    expect(() => parseTimeAhead(text)).toThrow('a time such as 2026-01-31T09:00:00Z, or a duration such as');
  },
);
