import { cli } from './support/cli.js';
import { type ScriptedApi, startScriptedApi } from './support/scripted-api.js';

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi();
});
afterEach(() => api.close());

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
  const env = { TOCSIN_API_URL: api.url, TOCSIN_TOKEN: 't', TOCSIN_WORKSPACE: 'w' };
  const run = (words: string, body: unknown) => {
    api.script({ body });
    return cli(words.split(' '), { env });
  };
  const created = await run('deliveries redeliver --webhook x --no-wait', job);
  expect(created.stderr).toBe(`Job j: ${shown} deliveries match.\n`);
  expect((await run('jobs get j', job)).stdout).toMatch(new RegExp(`^matched +${shown}$`, 'm'));
  expect((await run('jobs list --kind redelivery', [job])).stdout).toContain(` 5 of ${shown}\n`);
  expect(JSON.parse((await run('jobs get j --json', job)).stdout)).toEqual(job);
});
