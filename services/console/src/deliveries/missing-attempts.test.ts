import { describeMissingAttempts } from './missing-attempts.js';

const attempts = (count: number) => Array.from({ length: count }, () => ({}) as never);

test('a delivery with all attempts has no text about missing ones', () => {
  const all = { attempts: attempts(2), attempts_made: 2, attempts_expired: false };
  expect(describeMissingAttempts(all)).toBeUndefined();
  expect(describeMissingAttempts({ ...all, attempts: [], attempts_made: 0 })).toBeUndefined();
});

test('a delivery whose attempts were all removed says that they are too old', () => {
  const none = { attempts: [], attempts_made: 3, attempts_expired: true };
  expect(describeMissingAttempts(none)).toMatch(/^The attempts are no longer stored/);
});

test('a delivery with some attempts says how many are no longer stored', () => {
  const some = { attempts: attempts(2), attempts_made: 5, attempts_expired: true };
  expect(describeMissingAttempts(some)).toMatch(/^The first 3 attempts are no longer stored/);
  expect(describeMissingAttempts({ ...some, attempts_made: 3 })).toMatch(/^The first attempt is no longer/);
});

test('a delivery with more attempts than the API returns says how many are shown', () => {
  const many = { attempts: attempts(100), attempts_made: 130, attempts_expired: false };
  expect(describeMissingAttempts(many)).toBe(
    'The first 30 attempts are not shown: this page shows the latest 100.',
  );
});
