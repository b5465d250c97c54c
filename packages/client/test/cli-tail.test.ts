import type { Delivery } from '../src/index.js';
import { cli } from './support/cli.js';
import { createManualClock } from './support/manual-clock.js';
import { startScriptedApi } from './support/scripted-api.js';

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

test('tail prints each new or changed delivery, and ends when the API responds with status 500', async () => {
  const api = await startScriptedApi();
  const controller = new AbortController();
  const clock = createManualClock({
    startMs: Date.parse('2026-01-01T00:00:00Z'),
    whileSleeping: (count) => {
      if (count === 4) controller.abort();
    },
  });
  api.script(
    { body: [delivery('b'), delivery('a', { status: 'succeeded', attempts_made: 1 })] },
    { body: delivery('b') },
    { body: [] },
    { body: delivery('b', { status: 'sending' }) },
    { status: 500 },
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
  expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining('500') });
  const [first, , second] = api.seen.map(({ url }) => new URL(url, api.url).searchParams.get('since'));
  expect(first).toBe('2026-01-01T00:00:00.000Z');
  expect(second).toBe('2026-01-01T00:00:20.000Z');
  await api.close();
});

test('tail with a status filter prints a delivery that gets this status later', async () => {
  const api = await startScriptedApi();
  const controller = new AbortController();
  const failed = delivery('a', { status: 'failed', attempts_made: 8 });
  api.script({ body: [delivery('a')] }, { body: delivery('a') }, { body: [] }, { body: failed });
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

test('tail continues after a short outage of the API', async () => {
  const api = await startScriptedApi();
  const controller = new AbortController();
  const stop = (printed: string) => printed.includes('chat') && controller.abort();
  api.script(...Array.from({ length: 4 }, () => ({ status: 503 })), {
    body: [delivery('a', { status: 'failed' })],
  });
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
