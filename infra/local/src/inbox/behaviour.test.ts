import { readBehaviour } from './behaviour.js';

describe('readBehaviour', () => {
  it('answers 200 at once where nothing is asked', () => {
    expect(readBehaviour('/anything/at/all')).toEqual({
      status: 200,
      delayMs: 0,
      headers: {},
      hangUp: false,
    });
  });

  it('combines what the segments ask', () => {
    expect(readBehaviour('/retry-after/5/status/429/slow/3000ms?x=/status/500')).toEqual({
      status: 429,
      delayMs: 3000,
      headers: { 'retry-after': '5' },
      hangUp: false,
    });
    expect(readBehaviour('/hang-up').hangUp).toBe(true);
  });

  it.each(['/status/99', '/status/600', '/status/abc', '/status', '/slow/soon', '/status/1e2', '//'])(
    'ignores %s',
    (path) => {
      expect(readBehaviour(path)).toMatchObject({ status: 200, delayMs: 0 });
    },
  );

  it('does not wait longer than two minutes', () => {
    expect(readBehaviour('/slow/99999999999ms').delayMs).toBe(120_000);
  });
});
