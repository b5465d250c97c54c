import { readBehaviour } from './behaviour.js';

describe('readBehaviour', () => {
  test('a plain path gets status 200 without delay', () => {
    expect(readBehaviour('/anything/at/all')).toEqual({
      status: 200,
      delayMs: 0,
      headers: {},
      hangUp: false,
    });
  });

  test('several segments of a path are combined', () => {
    expect(readBehaviour('/retry-after/5/status/429/slow/3000ms?x=/status/500')).toEqual({
      status: 429,
      delayMs: 3000,
      headers: { 'retry-after': '5' },
      hangUp: false,
    });
    expect(readBehaviour('/hang-up').hangUp).toBe(true);
  });

  test.each(['/status/99', '/status/600', '/status/abc', '/status', '/slow/soon', '/status/1e2', '//'])(
    'the invalid path %s gets status 200 without delay',
    (path) => {
      expect(readBehaviour(path)).toMatchObject({ status: 200, delayMs: 0 });
    },
  );

  test('the maximum delay is two minutes', () => {
    expect(readBehaviour('/slow/99999999999ms').delayMs).toBe(120_000);
  });
});
