import { runPlan } from '../src/cli/workspace-file/run-plan.js';
import { createPlatformClient } from '../src/index.js';
import { createManualClock } from './support/manual-clock.js';
import { startScriptedApi } from './support/scripted-api.js';
import { entry, plan, state } from './support/workspace-plans.js';

test('a step after 429 waits for Retry-After, but at least one second', async () => {
  const api = await startScriptedApi();
  for (const seconds of ['0', '3', '0']) api.script({ status: 429, headers: { 'retry-after': seconds } });
  const clock = createManualClock();
  const platform = createPlatformClient({ url: api.url, credential: 'k', workspaceId: 'w', clock });
  const created = plan(entry(), {
    env: { URL: 'https://example.com', TOKEN: 't' },
    of: state({ webhooks: [], rules: [] }),
  });
  const result = await runPlan(
    { ...created, etags: new Map() },
    { platform, clock, signal: new AbortController().signal, onDone() {} },
  );
  expect(result).toMatchObject({ done: [{ action: 'create' }], notDone: [] });
  expect(clock.sleeps).toEqual([1_000, 3_000, 1_000]);
  await api.close();
});
