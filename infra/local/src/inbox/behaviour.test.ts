import { readBehaviour } from './behaviour.js';

describe('readBehaviour', () => {
  test('a request to the inbox gets status 200 without delay by default', () => {
    expect(readBehaviour('/anything/at/all')).toEqual({
      status: 200,
      delayMs: 0,
      headers: {},
      hangUp: false,
    });
  });

  test('a path can combine a status, a delay and a Retry-After for the response of the inbox', () => {
    expect(readBehaviour('/retry-after/5/status/429/slow/3000ms?x=/status/500')).toEqual({
      status: 429,
      delayMs: 3000,
      headers: { 'retry-after': '5' },
      hangUp: false,
    });
    expect(readBehaviour('/hang-up').hangUp).toBe(true);
  });

  test.each(['/status/99', '/status/600', '/status/abc', '/status', '/slow/soon', '/status/1e2', '//'])(
    'the path %s names no valid behaviour, so the inbox responds with 200 without delay',
    (path) => {
      expect(readBehaviour(path)).toMatchObject({ status: 200, delayMs: 0 });
    },
  );

  test('the inbox delays a response by at most two minutes, even if the path asks for more', () => {
    expect(readBehaviour('/slow/99999999999ms').delayMs).toBe(120_000);
  });
});
