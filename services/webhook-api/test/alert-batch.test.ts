import { randomUUID } from 'node:crypto';
import { Secret } from '@tocsin/kit';
import { until } from '@tocsin/testing';
import { createTestBroker, startBrokerProxy } from '@tocsin/testing/broker';
import { insertWebhook } from '@tocsin/testing/database';
import { otherWorkspaceId, type Problem, startApi, type TestApi, workspaceId } from './support/api.js';
import { startInbox } from './support/inbox.js';

const batch = `/api/v1/workspaces/${workspaceId}/alerts/batch`;
const embedded = {
  name: 'Own rule',
  enabled: true,
  threshold: 0.4,
  bound: 'upper_bound',
  notification_webhook_ids: [] as string[],
};
const fired = () => ({
  alert_id: randomUUID(),
  alert_rule_id: randomUUID(),
  model_id: randomUUID(),
  model_name: 'Churn "v2"',
  metric_value: 0.4212,
  alert_rule: embedded,
});
const firedTimes = (count: number) => Array.from({ length: count }, fired);

type Entry = { alert_id?: string; status: number } & Partial<Problem>;

let proxy: Awaited<ReturnType<typeof startBrokerProxy>>;
let api: TestApi;
let inbox: Awaited<ReturnType<typeof startInbox>>;
beforeAll(async () => {
  const { url } = await createTestBroker();
  proxy = await startBrokerProxy(url);
  api = await startApi({ config: { amqpUrl: new Secret(proxy.url) } });
  inbox = await startInbox(url);
});
afterAll(async () => {
  await inbox.close();
  await api.close();
  await proxy.close();
});

const publish = (body: unknown, as: 'publisher' | 'admin' | 'editor' = 'publisher', to = api) =>
  to.call<Entry[]>('POST', batch, { body, as });
const rejection = (body: unknown) => api.call<Problem>('POST', batch, { body, as: 'publisher' });

/** Publishes a valid alert and waits for it. The broker keeps the order, so all earlier alerts have arrived too. */
async function countArrived(): Promise<number> {
  const alert = fired();
  expect((await publish([alert])).status).toBe(200);
  await inbox.alert(alert.alert_id);
  return inbox.messages.length;
}

const statusesOf = ({ body }: { body: Entry[] }) => body.map(({ status }) => status);
const idsOf = (alerts: { alert_id: string }[]) => alerts.map(({ alert_id }) => alert_id);

/** Publishes a batch repeatedly, as a publisher should, until the broker has confirmed all of its alerts. */
async function untilConfirmed(alerts: { alert_id: string }[]): Promise<void> {
  await until('all are confirmed', async () => {
    const { status, body } = await publish(alerts);
    return status === 200 && body.every((entry) => entry.status === 202);
  });
}

describe('a batch of alerts', () => {
  test('a batch gets 200 with one entry for each alert, in order, when the alerts are queued', async () => {
    const alerts = firedTimes(500);
    const { status, body } = await publish(alerts);
    expect(status).toBe(200);
    expect(body).toEqual(idsOf(alerts).map((alert_id) => ({ alert_id, status: 202 })));
    for (const id of [alerts[0]!.alert_id, alerts[499]!.alert_id])
      expect(await inbox.alert(id)).toMatchObject({ alert_id: id, workspace_id: workspaceId });
  });

  test('missing ids and times are added to each alert of a batch', async () => {
    const bare = firedTimes(2).map(({ alert_id: _, ...alert }) => alert);
    const { body } = await publish(bare);
    expect(statusesOf({ body })).toEqual([202, 202]);
    expect(new Set(body.map(({ alert_id }) => alert_id)).size).toBe(2);
    const message = await inbox.alert(body[1]!.alert_id!);
    expect(Math.abs(Date.parse(message.fired_at) - Date.now())).toBeLessThan(60_000);
  });

  test('two alerts with the same id in a batch are both published', async () => {
    const alert = fired();
    const { body } = await publish([alert, { ...alert, metric_value: 7 }]);
    expect(body).toEqual([
      { alert_id: alert.alert_id, status: 202 },
      { alert_id: alert.alert_id, status: 202 },
    ]);
    await until(
      'both are published',
      () => inbox.messages.filter((m) => m.includes(alert.alert_id)).length === 2,
    );
  });

  test('an invalid alert of a batch gets an error of its own, and the others are published', async () => {
    const webhookId = await insertWebhook(api.database, { workspaceId: otherWorkspaceId });
    const own = { ...embedded, notification_webhook_ids: [webhookId] };
    const { alert_rule: _, ...unknownRule } = fired();
    const invalid: unknown[] = [
      { ...fired(), metric_value: '1', workspace_id: otherWorkspaceId },
      { ...fired(), alert_rule: own },
      unknownRule,
      { ...fired(), severity: 'high' },
      { ...fired(), model_name: 'a\0b' },
      { ...fired(), model_name: '\ud800' },
      { ...fired(), fired_at: '2025-02-30T12:00:00Z' },
      {},
      null,
      7,
      'alert',
      [],
      [fired()],
    ];
    const good = firedTimes(invalid.length);
    const { status, body } = await publish(invalid.flatMap((alert, index) => [alert, good[index]]));
    expect(status).toBe(200);
    expect(statusesOf({ body })).toEqual(invalid.flatMap(() => [422, 202]));
    for (const [index, alert] of invalid.entries()) {
      const path = `/api/v1/workspaces/${workspaceId}/alerts`;
      const single = await api.call<Problem & { request_id: string }>('POST', path, {
        body: JSON.stringify(alert),
        as: 'publisher',
      });
      expect({ ...body[2 * index], request_id: '' }).toEqual({ ...single.body, request_id: '' });
    }
    for (const { alert_id } of good) await inbox.alert(alert_id);
  });

  test('an alert with deep nesting or __proto__ is rejected, and the rest of its batch published', async () => {
    const [good, nested] = [fired(), `${'['.repeat(5_000)}${']'.repeat(5_000)}`];
    const texts = [`{"labels": ${nested}}`, nested, '{"__proto__": {"alert_id": 1}}', JSON.stringify(good)];
    expect(statusesOf(await publish(`[${texts.join(',')}]`))).toEqual([422, 422, 422, 202]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test.each([
    ['an empty array', []],
    ['501 alerts', Array.from({ length: 501 }, () => ({}))],
    ['an object', fired()],
    ['an object with the alerts', { alerts: [fired()] }],
    ['null', 'null'],
    ['text', '"[]"'],
    ['no body', undefined],
  ])('a batch is rejected as a whole with 422 if the body is %s', async (_, body) => {
    const before = await countArrived();
    const rejected = await rejection(body);
    expect([rejected.status, rejected.body.code]).toEqual([422, 'validation_failed']);
    expect(await countArrived()).toBe(before + 1);
  });

  test('a batch with malformed JSON, another media type or too many bytes is rejected', async () => {
    expect((await rejection(`[${JSON.stringify(fired())},`)).status).toBe(400);
    const headers = { 'Content-Type': 'application/x-ndjson' };
    expect((await api.call('POST', batch, { body: [fired()], as: 'publisher', headers })).status).toBe(415);
    const large = Array.from({ length: 500 }, () => ({ ...fired(), model_name: 'x'.repeat(2_048) }));
    expect((await rejection(large)).status).toBe(413);
  });

  test('each invalid alert of a large batch gets only one error', async () => {
    const wrong = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`wrong_${index}`, '']));
    const small = await publish([wrong]);
    expect(small.body[0]!.errors).toHaveLength(20);
    const { body } = await publish(Array.from({ length: 500 }, () => wrong));
    expect(body.map(({ errors }) => errors?.length)).toEqual(Array.from({ length: 500 }, () => 1));
  });

  test('a publisher can send a batch of alerts, and an editor cannot', async () => {
    expect((await publish([fired()], 'admin')).status).toBe(200);
    expect((await publish([fired()], 'editor')).status).toBe(403);
    const read = await api.call('GET', batch, { as: 'publisher' });
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('rate limits of a batch', () => {
  test.each([
    ['principal', { alertsPerMinute: 10, requestsPerMinute: 1 }],
    ['workspace', { workspaceAlertsPerMinute: 10, workspaceRequestsPerMinute: 1 }],
  ])('each alert of an accepted batch counts towards the rate limit of its %s', async (_, limits) => {
    const limited = await startApi({ limits, config: { amqpUrl: new Secret(proxy.url) } });
    try {
      const before = await countArrived();
      const rejected = await publish(firedTimes(11), 'publisher', limited);
      expect([rejected.status, Number(rejected.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect(await countArrived()).toBe(before + 1);
      expect((await publish(firedTimes(4), 'publisher', limited)).status).toBe(200);
      expect((await publish(firedTimes(7), 'publisher', limited)).status).toBe(429);
      expect((await publish(firedTimes(6), 'publisher', limited)).status).toBe(200);
      expect((await publish(firedTimes(1), 'publisher', limited)).status).toBe(429);
    } finally {
      await limited.close();
    }
  });
});

describe('a batch while the broker fails', () => {
  test('every alert of a batch gets 503 while the broker is blocked, and a retry succeeds later', async () => {
    const alerts = firedTimes(20);
    proxy.stopReading();
    const publishing = publish(alerts);
    proxy.sendBlocked();
    const { status, body } = await publishing;
    expect(status).toBe(200);
    expect(body).toMatchObject(
      idsOf(alerts).map((alert_id) => ({ alert_id, status: 503, code: 'unavailable' })),
    );
    expect(body[0]!.detail).toContain('safe to repeat');
    proxy.unblock();
    await untilConfirmed(alerts);
  });

  test('a broker that fails during a batch loses no alert that it has confirmed', async () => {
    const alerts = firedTimes(500);
    proxy.cutAtNext(Buffer.from(alerts[400]!.alert_id));
    const { status, body } = await publish(alerts);
    expect(status).toBe(200);
    expect(idsOf(body as { alert_id: string }[])).toEqual(idsOf(alerts));
    expect(new Set(statusesOf({ body }))).toContain(503);
    for (const entry of body) if (entry.status === 202) await inbox.alert(entry.alert_id!);
    await untilConfirmed(alerts);
  });

  test('in a batch, an alert that no queue receives gets 503 with its id', async () => {
    const alerts = firedTimes(3);
    const { body } = await api.broker.whileUnroutable(() => publish(alerts));
    expect(body).toMatchObject(idsOf(alerts).map((alert_id) => ({ alert_id, status: 503 })));
    await untilConfirmed(alerts);
  });

  test('an invalid alert of a batch gets 422 even if the broker fails for the others', async () => {
    proxy.refuse();
    expect(statusesOf(await publish([fired(), {}, fired()]))).toEqual([503, 422, 503]);
    proxy.thaw();
    await untilConfirmed(firedTimes(1));
  });
});
