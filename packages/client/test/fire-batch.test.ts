import { publishBatch, splitIntoBatches } from '../src/cli/commands/fire-batch.js';
import { createPlatformClient } from '../src/index.js';
import { createManualClock } from './support/manual-clock.js';
import { type ScriptedApi, startScriptedApi } from './support/scripted-api.js';

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi();
});
afterEach(() => api.close());

const client = () => createPlatformClient({ url: api.url, credential: 'key', workspaceId: 'w' });
const alert = { alert_rule_id: 'r', model_id: 'm', model_name: 'n', metric_value: 1 };

test.each([
  { status: 200, body: {} },
  { status: 200, body: [] },
  { status: 204, body: '' },
  { status: 200, body: [{ status: 202, alert_id: 'other' }] },
])('the response %j does not confirm a batch of alerts', async (reply) => {
  api.script(reply);
  const call = client().alerts.fireBatch([{ ...alert, alert_id: 'a' }]);
  await expect(call).rejects.toMatchObject({ code: 'invalid_response' });
});

test('the outcomes of a batch are returned in the order of its alerts', async () => {
  const outcomes = [
    { status: 202, alert_id: 'a' },
    { status: 422, code: 'validation_failed' },
  ];
  api.script({ body: outcomes });
  const batch = ['A', 'b'].map((alert_id) => ({ ...alert, alert_id }));
  expect(await client().alerts.fireBatch(batch)).toEqual(outcomes);
});

test('a batch that the rate limit of the workspace rejects is repeated for up to two minutes', async () => {
  const clock = createManualClock();
  const platform = createPlatformClient({ url: api.url, credential: 'key', workspaceId: 'w', clock });
  const publish = () =>
    publishBatch(platform, [{ ...alert, alert_id: 'a' }], { clock, signal: new AbortController().signal });
  const limited = { status: 429, headers: { 'retry-after': '1' } };
  api.script(...Array.from({ length: 30 }, () => limited), { body: [{ status: 202, alert_id: 'a' }] });
  expect(await publish()).toMatchObject([{ error: undefined }]);
  const startMs = clock.now();
  api.script(...Array.from({ length: 300 }, () => limited));
  expect(await publish()).toMatchObject([{ error: { status: 429 } }]);
  expect(clock.now() - startMs).toBeGreaterThan(110_000);
  api.script({ status: 429, headers: { 'retry-after': '3600' } });
  expect(await publish()).toMatchObject([{ error: { status: 429 } }]);
  expect(new Set(clock.sleeps).size).toBeGreaterThan(2);
});

test('alerts are split into batches of at most 500 alerts and 1,000,000 bytes', () => {
  const sized = (alert_id: string, bytes: number) => ({ ...alert, alert_id, model_name: 'x'.repeat(bytes) });
  const sizesOf = (alerts: ReturnType<typeof sized>[]) =>
    splitIntoBatches(alerts).map(({ length }) => length);
  expect(sizesOf(Array.from({ length: 1_001 }, (_, index) => sized(`${index}`, 1)))).toEqual([500, 500, 1]);
  expect(sizesOf(['a', 'b', 'c'].map((id) => sized(id, 600_000)))).toEqual([1, 1, 1]);
  expect(sizesOf(['a', 'b', 'c'].map((id) => sized(id, 400_000)))).toEqual([2, 1]);
});

test('only the alerts of a batch that got 503 are published again', async () => {
  const batch = ['a', 'b', 'c'].map((alert_id) => ({ ...alert, alert_id }));
  const entry = (alert_id: string, status: number) => ({ status, alert_id });
  api.script({ body: [entry('a', 202), entry('b', 503), entry('c', 202)] }, { body: [entry('b', 202)] });
  const clock = createManualClock();
  const { signal } = new AbortController();
  const outcomes = await publishBatch(client(), batch, { clock, signal });
  expect(outcomes).toEqual(batch.map((published) => ({ alert: published, error: undefined })));
  expect(api.seen.map(({ body }) => JSON.parse(body))).toMatchObject([batch, [batch[1]]]);
  expect(clock.sleeps).toHaveLength(1);
});
