import { createShutdown } from './shutdown.js';

test('resources are closed once each, in reverse order of opening', async () => {
  const closed: string[] = [];
  const shutdown = createShutdown();
  for (const name of ['pool', 'broker', 'server']) shutdown.add(name, async () => closed.push(name));
  await shutdown.close(1_000);
  await shutdown.close(1_000);
  expect(closed).toEqual(['server', 'broker', 'pool']);
});

test('a resource that fails or hangs is named in the shutdown error, and the others are closed', async () => {
  const closed: string[] = [];
  const shutdown = createShutdown();
  shutdown.add('pool', async () => closed.push('pool'));
  shutdown.add('broker', async () => {
    throw new Error('gone');
  });
  shutdown.add('server', () => new Promise(() => {}));
  await expect(shutdown.close(20)).rejects.toThrow(
    'server did not close cleanly; broker did not close cleanly',
  );
  expect(closed).toEqual(['pool']);
});

test('the close function of a resource gets the milliseconds left until the deadline', async () => {
  const shutdown = createShutdown();
  let remaining = 0;
  shutdown.add('server', async (remainingMs) => {
    remaining = remainingMs;
  });
  await shutdown.close(5_000);
  expect(remaining).toBeGreaterThan(4_000);
  expect(remaining).toBeLessThanOrEqual(5_000);
});

test('a shutdown aborts its signal and stops its interval timers before it closes a resource', async () => {
  const shutdown = createShutdown();
  let calls = 0;
  const called = new Promise<void>((resolve) => {
    shutdown.addInterval(() => {
      calls += 1;
      resolve();
    }, 1);
  });
  await called;
  shutdown.add('server', async () => {
    expect(shutdown.signal.aborted).toBe(true);
    const callsAtClose = calls;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(calls).toBe(callsAtClose);
  });
  await shutdown.close(1_000);
});
