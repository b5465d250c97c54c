import { describeMissingAttempts } from './missing-attempts.js';

const attempts = (count: number) => Array.from({ length: count }, () => ({}) as never);

test('no text about missing attempts is shown if the API returns all attempts', () => {
  const all = { attempts: attempts(2), attempts_made: 2, attempts_expired: false };
  expect(describeMissingAttempts(all)).toBeUndefined();
  expect(describeMissingAttempts({ ...all, attempts: [], attempts_made: 0 })).toBeUndefined();
});

test('if none of the attempts is stored any longer, the text says that they are no longer stored', () => {
  const none = { attempts: [], attempts_made: 3, attempts_expired: true };
  expect(describeMissingAttempts(none)).toMatch(/^The attempts are no longer stored/);
});

test('if the first attempts are no longer stored, the text says how many they are', () => {
  const some = { attempts: attempts(2), attempts_made: 5, attempts_expired: true };
  expect(describeMissingAttempts(some)).toMatch(/^The first 3 attempts are no longer stored/);
  expect(describeMissingAttempts({ ...some, attempts_made: 3 })).toMatch(/^The first attempt is no longer/);
});

test('if the API returns only the latest attempts, the text says how many are shown', () => {
  const many = { attempts: attempts(100), attempts_made: 130, attempts_expired: false };
  expect(describeMissingAttempts(many)).toBe(
    'The first 30 attempts are not shown: this page shows the latest 100.',
  );
});
