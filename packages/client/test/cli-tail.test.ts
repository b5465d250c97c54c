import type { Delivery } from '../src/index.js';
import { cli } from './support/cli.js';
import { createManualClock } from './support/manual-clock.js';
import { startScriptedApi } from './support/scripted-api.js';
import { startScriptedProvider } from './support/scripted-provider.js';

const delivery = (id: string, changes: Partial<Delivery> = {}) => ({
  id,
  webhook_name: 'chat',
  status: 'waiting',
  attempts_made: 0,
  created_at: '2026-01-01T00:00:30.000Z',
  response: null,
  error: null,
  error_code: null,
  ...changes,
});

test('tail prints each new or changed delivery, and ends when the API responds with status 403', async () => {
  const api = await startScriptedApi();
  const controller = new AbortController();
  const clock = createManualClock({
    startMs: Date.parse('2026-01-01T00:00:00Z'),
    whileSleeping: (count) => {
      if (count === 4) controller.abort();
    },
  });
  api.script(
    { body: [delivery('old', { created_at: '2026-01-01T00:00:05.000Z' })] },
    { body: [delivery('b'), delivery('a', { status: 'succeeded', attempts_made: 1 })] },
    { body: delivery('b') },
    { body: [] },
    { body: delivery('b', { status: 'sending' }) },
    { status: 403 },
  );
  const { code, stdout, stderr } = await cli(['deliveries', 'tail', '--json', '--webhook', 'w'], {
    env: { TOCSIN_API_URL: api.url, TOCSIN_TOKEN: 't', TOCSIN_WORKSPACE: 'ws' },
    signal: controller.signal,
    clock,
  });
  const states = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Delivery);
  expect(states.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'a succeeded',
    'b waiting',
    'b sending',
  ]);
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('403') });
  const [newest, first, , second] = api.seen.map(({ url }) =>
    new URL(url, api.url).searchParams.get('since'),
  );
  expect(newest).toBeNull();
  expect(first).toBe('2026-01-01T00:00:05.001Z');
  expect(second).toBe('2026-01-01T00:00:20.000Z');
  await api.close();
});

test('tail with a status filter prints a delivery that gets this status later', async () => {
  const api = await startScriptedApi();
  const controller = new AbortController();
  const failed = delivery('a', { status: 'failed', attempts_made: 8 });
  api.script(
    { body: [] },
    { body: [delivery('a')] },
    { body: delivery('a') },
    { body: [] },
    { body: failed },
  );
  const { stdout } = await cli(['deliveries', 'tail', '--status', 'failed', '--json'], {
    env: { TOCSIN_API_URL: api.url, TOCSIN_TOKEN: 't', TOCSIN_WORKSPACE: 'ws' },
    signal: controller.signal,
    clock: createManualClock(),
    onOutput: () => controller.abort(),
  });
  expect(JSON.parse(stdout)).toMatchObject({ id: 'a', status: 'failed' });
  expect(api.seen[0]?.url).not.toContain('status=');
  await api.close();
});

test.each([500, 502, 503, 504])('tail continues after an outage with status %s', async (status) => {
  const api = await startScriptedApi();
  const controller = new AbortController();
  const stop = (printed: string) => printed.includes('chat') && controller.abort();
  api.script(
    ...Array.from({ length: 4 }, () => ({ status })),
    { body: [] },
    {
      body: [delivery('a', { status: 'failed' })],
    },
  );
  const { code, stdout, stderr } = await cli(['deliveries', 'tail'], {
    env: { TOCSIN_API_URL: api.url, TOCSIN_TOKEN: 't', TOCSIN_WORKSPACE: 'ws' },
    signal: controller.signal,
    clock: createManualClock(),
    onOutput: (printed) => stop(printed.stdout),
  });
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('Trying again') });
  expect(stdout).toContain('failed');
  await api.close();
});

test('tail continues after an outage of the token endpoint', async () => {
  const [api, provider] = [await startScriptedApi(), await startScriptedProvider()];
  const controller = new AbortController();
  provider.script(
    { body: { access_token: 't1', token_type: 'Bearer', expires_in: 2 } },
    { status: 503, body: {} },
  );
  api.script({ body: [] }, { body: [] }, { body: [delivery('a', { status: 'failed' })] });
  const { code, stdout, stderr } = await cli(['deliveries', 'tail'], {
    env: {
      TOCSIN_API_URL: api.url,
      TOCSIN_ISSUER: provider.issuer,
      TOCSIN_CLIENT_ID: 'a',
      TOCSIN_CLIENT_SECRET: 'b',
      TOCSIN_WORKSPACE: 'ws',
    },
    signal: controller.signal,
    clock: createManualClock(),
    onOutput: (printed) => printed.stdout.includes('chat') && controller.abort(),
  });
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('Trying again') });
  expect(stdout).toContain('failed');
  expect(provider.calls).toHaveLength(3);
  await api.close();
  await provider.close();
});

test.each([
  ['no earlier than 10 minutes ago', '2025-12-31T00:00:00.000Z', '2025-12-31T23:50:00.000Z'],
  [
    'at the newest delivery if the local clock is behind',
    '2026-01-01T01:00:00.000Z',
    '2026-01-01T01:00:00.001Z',
  ],
])('tail starts %s', async (_name, newest, since) => {
  const api = await startScriptedApi();
  api.script({ body: [delivery('old', { created_at: newest })] }, { status: 403 });
  await cli(['deliveries', 'tail'], {
    env: { TOCSIN_API_URL: api.url, TOCSIN_TOKEN: 't', TOCSIN_WORKSPACE: 'ws' },
    clock: createManualClock({ startMs: Date.parse('2026-01-01T00:00:00Z') }),
  });
  expect(new URL(api.seen[1]?.url ?? '', api.url).searchParams.get('since')).toBe(since);
  await api.close();
});
