import { runPlan } from '../src/cli/workspace-file/run-plan.js';
import { createPlatformClient } from '../src/index.js';
import { createManualClock } from './support/manual-clock.js';
import { startScriptedApi } from './support/scripted-api.js';
import { entry, model, plan, state } from './support/workspace-plans.js';

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
  expect(clock.sleeps.map((ms) => Math.floor(ms / 1_000))).toEqual([1, 3, 1]);
  await api.close();
});

test('a new rule with the external id of a new webhook does not replace it in references', async () => {
  const api = await startScriptedApi();
  for (const id of ['webhook-id', 'rule-id']) api.script({ status: 201, body: { id } });
  const clock = createManualClock();
  const platform = createPlatformClient({ url: api.url, credential: 'k', workspaceId: 'w', clock });
  const rule = (name: string) =>
    `  - {name: ${name}, model_id: ${model}, threshold: 1, bound: upper_bound, notification_webhooks: [chat]}\n`;
  const created = plan(
    entry(`alert_rules:\n${rule('chat')}${rule('drift')}settings: {notice_webhooks: [chat]}\n`),
    {
      env: { URL: 'https://example.com', TOKEN: 't' },
      of: state({ webhooks: [], rules: [] }),
    },
  );
  const result = await runPlan(
    { ...created, etags: new Map() },
    { platform, clock, signal: new AbortController().signal, onDone() {} },
  );
  expect(result.notDone).toEqual([]);
  const bodies = api.seen.map(({ body }) => JSON.parse(body));
  expect(bodies[2]).toMatchObject({ external_id: 'risk/drift', notification_webhook_ids: ['webhook-id'] });
  expect(bodies[3]).toMatchObject({ notice_webhook_ids: ['webhook-id'] });
  await api.close();
});
