import { cli } from './support/cli.js';
import { createManualClock } from './support/manual-clock.js';
import { type ScriptedApi, startScriptedApi } from './support/scripted-api.js';

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi();
});
afterEach(() => api.close());

const env = { TOCSIN_TOKEN: 't', TOCSIN_WORKSPACE: 'w' };
const jobAt = (done: number, status: string) => ({ id: 'j', status, matched: 3, done, filter: {} });

test('a command that starts a job shows its progress every second until the job has ended', async () => {
  api.script(
    { body: jobAt(0, 'running') },
    { body: jobAt(1, 'running') },
    { body: jobAt(2, 'running') },
    { body: jobAt(3, 'done') },
  );
  const clock = createManualClock();
  const redeliver = ['deliveries', 'redeliver', '--webhook', 'x'];
  const options = { env: { ...env, TOCSIN_API_URL: api.url }, clock, columns: 80 };
  const { code, stdout, stderr } = await cli(redeliver, options);
  expect([code, stdout]).toEqual([0, '3 deliveries are on their way.\n']);
  for (const done of [0, 1, 2]) expect(stderr).toContain(`${done} of 3…`);
  expect(clock.sleeps).toEqual([1_000, 1_000, 1_000]);
  expect(api.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET']);
});

test('a command whose job is cancelled meanwhile says how many deliveries the job has changed', async () => {
  api.script({ body: jobAt(0, 'running') }, { body: jobAt(2, 'cancelled') });
  const { code, stdout } = await cli(['deliveries', 'redeliver', '--webhook', 'x'], {
    env: { ...env, TOCSIN_API_URL: api.url },
    clock: createManualClock(),
  });
  expect([code, stdout]).toEqual([0, '2 deliveries are on their way; the job was cancelled.\n']);
});

test('a command that is interrupted while it waits for its job ends with code 130', async () => {
  api.script({ body: jobAt(0, 'running') });
  const interrupt = new AbortController();
  const { code, stdout } = await cli(['deliveries', 'redeliver', '--webhook', 'x'], {
    env: { ...env, TOCSIN_API_URL: api.url },
    clock: createManualClock({ whileSleeping: () => interrupt.abort() }),
    signal: interrupt.signal,
  });
  expect([code, stdout]).toEqual([130, '']);
  expect(api.seen.map(({ method }) => method)).toEqual(['POST']);
});

test.each([
  [99_999, '99999'],
  [100_000, 'at least 100000'],
])('the commands show that a job with %d counted matches has %s', async (matched, shown) => {
  const job = {
    id: 'j',
    status: 'running',
    matched,
    done: 5,
    filter: {},
    created_at: '2026-01-31T09:00:00Z',
  };
  const run = (words: string, body: unknown) => {
    api.script({ body });
    return cli(words.split(' '), { env: { ...env, TOCSIN_API_URL: api.url } });
  };
  const created = await run('deliveries redeliver --webhook x --no-wait', job);
  expect(created.stderr).toBe(`Job j: ${shown} deliveries match.\n`);
  expect((await run('jobs get j', job)).stdout).toMatch(new RegExp(`^matched +${shown}$`, 'm'));
  expect((await run('jobs list --kind redelivery', [job])).stdout).toContain(` 5 of ${shown}\n`);
  expect(JSON.parse((await run('jobs get j --json', job)).stdout)).toEqual(job);
});
