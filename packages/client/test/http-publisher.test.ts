import { randomUUID } from 'node:crypto';
import { createHttpPublisher, type PublishAlert } from '../src/index.js';
import { createManualClock } from './support/manual-clock.js';
import { type ScriptedApi, startScriptedApi } from './support/scripted-api.js';

const alert = (): PublishAlert => ({
  alert_rule_id: randomUUID(),
  model_id: randomUUID(),
  model_name: 'churn',
  metric_value: 0.42,
});

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi();
});
afterEach(() => api.close());

const settingsOf = ({ url }: { url: string }) => ({ url, credential: 'k', workspaceId: randomUUID() });

test('an unconfirmed alert is retried with the same id until the timeout', async () => {
  api.script(...Array.from({ length: 99 }, () => ({ status: 503 })));
  const clock = createManualClock();
  const publisher = createHttpPublisher({ ...settingsOf(api), clock, giveUpAfterMs: 10_000 });
  await expect(publisher.publish(alert())).rejects.toMatchObject({ code: 'unconfirmed' });
  expect(api.seen.length).toBeGreaterThan(4);
  expect(new Set(api.seen.map(({ body }) => body)).size).toBe(1);
});

test.each([408, 500, 502, 504])('an alert is retried after status %s', async (status) => {
  api.script({ status, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' });
  const publisher = createHttpPublisher({ ...settingsOf(api), clock: createManualClock() });
  const { alert_id } = await publisher.publish(alert());
  expect(api.seen.map(({ body }) => JSON.parse(body).alert_id)).toEqual([alert_id, alert_id]);
});

test.each([
  { status: 200, body: '' },
  { status: 204, body: '' },
  { status: 200, body: '<h1>Welcome</h1>' },
  { status: 202, body: {} },
  { status: 202, body: { alert_id: randomUUID() } },
])('the response %j does not confirm an alert', async (reply) => {
  api.script(...Array.from({ length: 99 }, () => reply));
  const clock = createManualClock();
  const publisher = createHttpPublisher({ ...settingsOf(api), clock, giveUpAfterMs: 10_000 });
  await expect(publisher.publish(alert())).rejects.toMatchObject({
    code: 'unconfirmed',
    cause: { code: 'invalid_response' },
  });
  expect(api.seen.length).toBeGreaterThan(4);
});

test('a response with the id of the alert in lower case confirms the alert', async () => {
  const alert_id = randomUUID();
  api.script({ status: 202, body: { alert_id } });
  const publisher = createHttpPublisher(settingsOf(api));
  const fired = { ...alert(), alert_id: alert_id.toUpperCase() };
  await expect(publisher.publish(fired)).resolves.toMatchObject(fired);
  expect(api.seen).toHaveLength(1);
});

test('a retry waits for the time in the header Retry-After', async () => {
  api.script({ status: 429, headers: { 'retry-after': '20' } }, { status: 503 });
  const clock = createManualClock();
  const publisher = createHttpPublisher({ ...settingsOf(api), clock, random: () => 1 });
  await publisher.publish(alert());
  expect(clock.sleeps).toEqual([20_000, 500]);
});

test.each(['0', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
  'with the value %j of Retry-After, a retry waits for the backoff',
  async (value) => {
    const limited = { status: 503, headers: { 'retry-after': value } };
    api.script(limited, limited, limited);
    const clock = createManualClock();
    const publisher = createHttpPublisher({ ...settingsOf(api), clock, random: () => 1 });
    await publisher.publish(alert());
    expect(clock.sleeps).toEqual([250, 500, 1_000]);
  },
);

test('an alert whose publishing is aborted counts as unconfirmed, not as rejected', async () => {
  api.script({ hang: true });
  const publisher = createHttpPublisher(settingsOf(api));
  const controller = new AbortController();
  const publishing = publisher.publish(alert(), { signal: controller.signal });
  controller.abort();
  await expect(publishing).rejects.toMatchObject({ code: 'unconfirmed' });
});

test('an alert that the API rejects with status 422 fails as rejected, without retries', async () => {
  api.script({ status: 422, body: { code: 'validation_failed', detail: 'unknown rule' } });
  const publisher = createHttpPublisher(settingsOf(api));
  await expect(publisher.publish(alert())).rejects.toMatchObject({ code: 'rejected' });
  expect(api.seen).toHaveLength(1);
});
