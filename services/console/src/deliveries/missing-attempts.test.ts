import { describeMissingAttempts } from './missing-attempts.js';

const attempts = (count: number) => Array.from({ length: count }, () => ({}) as never);

test('no text about missing attempts is shown if all attempts are stored', () => {
  const all = { attempts: attempts(2), attempts_made: 2, attempts_expired: false };
  expect(describeMissingAttempts(all)).toBeUndefined();
  expect(describeMissingAttempts({ ...all, attempts: [], attempts_made: 0 })).toBeUndefined();
});

test('the text about a delivery without stored attempts says that they were removed', () => {
  const none = { attempts: [], attempts_made: 3, attempts_expired: true };
  expect(describeMissingAttempts(none)).toMatch(/^The attempts are no longer stored/);
});

test('the text about a delivery says how many of its attempts are no longer stored', () => {
  const some = { attempts: attempts(2), attempts_made: 5, attempts_expired: true };
  expect(describeMissingAttempts(some)).toMatch(/^The first 3 attempts are no longer stored/);
  expect(describeMissingAttempts({ ...some, attempts_made: 3 })).toMatch(/^The first attempt is no longer/);
});

test('the text about a delivery says how many attempts are shown if the API does not return all', () => {
  const many = { attempts: attempts(100), attempts_made: 130, attempts_expired: false };
  expect(describeMissingAttempts(many)).toBe(
    'The first 30 attempts are not shown: this page shows the latest 100.',
  );
});
