import { randomBytes } from 'node:crypto';
import { createSecretBox, type Database } from '@tocsin/database';
import { createMetrics, type Logger } from '@tocsin/kit';
import { startKeyCheck } from './key-check.js';

const { jest } = import.meta;

const secretBox = createSecretBox([{ id: 'k1', key: randomBytes(32) }]);
const canaryOf = (box: typeof secretBox) =>
  box.encrypt('canary', { workspaceId: null, table: 'secrets_canary', id: 'canary', column: 'value' });
const [ours, foreign] = [
  canaryOf(secretBox),
  canaryOf(createSecretBox([{ id: 'k2', key: randomBytes(32) }])),
];

afterEach(() => void jest.useRealTimers());

/** Starts the key check on a database that returns this canary, or throws this error. */
function start(canary: Buffer | Error) {
  jest.useFakeTimers();
  const state = { canary };
  const calls: string[] = [];
  const logged: object[] = [];
  const stopping = new AbortController();
  const registry = createMetrics({ service: 'test' });
  const keyCheck = startKeyCheck({
    database: {
      async prepared() {
        calls.push('read');
        if (state.canary instanceof Error) throw state.canary;
        return [{ value_encrypted: state.canary }];
      },
    } as unknown as Database,
    secretBox,
    databaseRetry: { retryWhileUnavailable: (work) => work() },
    consumers: { pause: () => void calls.push('pause'), resume: () => void calls.push('resume') },
    registry,
    logger: {
      error: (fields: object, event: string) => logged.push({ ...fields, event }),
    } as unknown as Logger,
    signal: stopping.signal,
  });
  const isMismatch = async () => {
    const { text } = await registry.expose();
    return Number(/^tocsin_keys_mismatch\{.*\} (.*)$/m.exec(text)?.[1]) === 1;
  };
  const shown = async () => {
    const signal = new AbortController().signal;
    const detail = await Promise.resolve(keyCheck.check(signal)).then(
      () => 'ready',
      (error: { detail: string }) => error.detail,
    );
    return [keyCheck.fit(), detail.slice(0, 46).trim(), await isMismatch(), calls.splice(0)];
  };
  return { state, keyCheck, stopping, logged, shown, pass: jest.advanceTimersByTimeAsync };
}

const unreadable = 'SECRETS_KEYS is not checked yet: the canary ca';
const mismatch = 'SECRETS_KEYS does not contain the key that the';

test('consumers run while the keys decrypt the canary, and pause while the keys do not', async () => {
  const { state, shown, pass } = start(ours);
  await pass(0);
  expect(await shown()).toEqual([true, 'ready', false, ['read', 'resume']]);
  await pass(4_999);
  expect(await shown()).toEqual([true, 'ready', false, []]);
  await pass(1);
  expect(await shown()).toEqual([true, 'ready', false, ['read']]);
  state.canary = foreign;
  await pass(10_000);
  expect(await shown()).toEqual([false, mismatch, true, ['read', 'pause', 'read']]);
  state.canary = ours;
  await pass(5_000);
  expect(await shown()).toEqual([true, 'ready', false, ['read', 'resume']]);
});

test('a worker that starts with wrong keys stays paused, and logs an error once a minute', async () => {
  const { shown, logged, pass } = start(foreign);
  await pass(0);
  expect(await shown()).toEqual([false, mismatch, true, ['read']]);
  await pass(55_000);
  expect(logged).toMatchObject([{ event: 'secrets.keys_mismatch', count: 1 }]);
  await pass(5_000);
  expect(logged).toMatchObject([{ count: 1 }, { count: 12 }]);
});

test('the result of the last key check remains valid while the canary cannot be read', async () => {
  const { state, shown, pass } = start(new Error('no privilege'));
  await pass(0);
  expect(await shown()).toEqual([false, unreadable, false, ['read']]);
  state.canary = ours;
  await pass(5_000);
  state.canary = new Error('no table');
  await pass(5_000);
  expect(await shown()).toEqual([true, 'ready', false, ['read', 'resume', 'read']]);
  state.canary = foreign;
  await pass(5_000);
  state.canary = new Error('no table');
  await pass(5_000);
  expect(await shown()).toEqual([false, mismatch, true, ['read', 'pause', 'read']]);
});

test('the reason why the canary cannot be read is logged once while it lasts', async () => {
  const { state, logged, pass, stopping } = start(new Error('no privilege'));
  await pass(60_000);
  expect(logged).toMatchObject([{ event: 'secrets.key_check_failed', err: { message: 'no privilege' } }]);
  state.canary = ours;
  await pass(5_000);
  state.canary = new Error('no table');
  await pass(10_000);
  expect(logged.slice(1)).toMatchObject([{ err: { message: 'no table' } }]);
  state.canary = ours;
  await pass(5_000);
  state.canary = new Error('The connection was closed.');
  stopping.abort();
  await pass(5_000);
  expect(logged).toHaveLength(2);
});

test('the check of the keys ends when the worker stops', async () => {
  const { keyCheck, stopping, shown, pass } = start(ours);
  await pass(0);
  stopping.abort();
  await keyCheck.stopped;
  await pass(60_000);
  expect((await shown()).at(-1)).toEqual(['read', 'resume']);
});
