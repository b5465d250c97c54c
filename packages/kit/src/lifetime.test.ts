import { createLifetime } from './lifetime.js';

test('what was opened last is closed first, each part once', async () => {
  const closed: string[] = [];
  const lifetime = createLifetime();
  for (const name of ['pool', 'broker', 'server']) lifetime.add(name, async () => closed.push(name));
  await lifetime.close(1_000);
  await lifetime.close(1_000);
  expect(closed).toEqual(['server', 'broker', 'pool']);
});

test('a part that fails or hangs is named, and the others are closed all the same', async () => {
  const closed: string[] = [];
  const lifetime = createLifetime();
  lifetime.add('pool', async () => closed.push('pool'));
  lifetime.add('broker', async () => {
    throw new Error('gone');
  });
  lifetime.add('server', () => new Promise(() => {}));
  await expect(lifetime.close(20)).rejects.toThrow(
    'server did not close cleanly; broker did not close cleanly',
  );
  expect(closed).toEqual(['pool']);
});

test('a part learns how much time is left', async () => {
  const lifetime = createLifetime();
  let remaining = 0;
  lifetime.add('server', async (remainingMs) => {
    remaining = remainingMs;
  });
  await lifetime.close(5_000);
  expect(remaining).toBeGreaterThan(4_000);
  expect(remaining).toBeLessThanOrEqual(5_000);
});
