import { randomUUID } from 'node:crypto';
import { alertFiredQueue } from '@tocsin/messaging';
import { startTcpProxy } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import { connect } from 'amqplib';
import {
  AlertNotPublishedError,
  type AlertPublisher,
  createAmqpPublisher,
  createHttpPublisher,
  type PublishAlert,
} from '../src/index.js';
import { createManualClock } from './support/manual-clock.js';
import { startScriptedApi } from './support/scripted-api.js';

const workspaceId = randomUUID();
const alert = (): PublishAlert => ({
  alert_rule_id: randomUUID(),
  model_id: randomUUID(),
  model_name: 'churn',
  metric_value: 0.42,
  threshold: 0.4,
  bound: 'upper_bound',
});

const settingsOf = ({ url }: { url: string }) => ({ url, credential: 'k', workspaceId });

interface Way {
  publisher: AlertPublisher;
  arrived(): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

async function overAmqp(): Promise<Way> {
  const { url } = await createTestBroker();
  const publisher = await createAmqpPublisher({ url, workspaceId });
  return { publisher, arrived: () => drain(url), close: () => publisher.close() };
}

/** Consumes and returns all messages in the queue of alerts. */
async function drain(url: string): Promise<Record<string, unknown>[]> {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  const messages: Record<string, unknown>[] = [];
  for (;;) {
    const message = await channel.get(alertFiredQueue, { noAck: true });
    if (message === false) break;
    expect(message.properties).toMatchObject({ deliveryMode: 2, contentType: 'application/json' });
    messages.push(JSON.parse(message.content.toString()));
  }
  await connection.close();
  return messages;
}

async function overHttp(): Promise<Way> {
  const api = await startScriptedApi();
  const publisher = createHttpPublisher(settingsOf(api));
  return {
    publisher,
    arrived: async () => api.seen.map(({ body }) => JSON.parse(body)),
    async close() {
      await publisher.close();
      await api.close();
    },
  };
}

describe.each([
  ['AMQP', overAmqp],
  ['HTTP', overHttp],
])('over %s', (_name, open) => {
  let way: Way;
  beforeEach(async () => {
    way = await open();
  });
  afterEach(() => way.close());

  test('publish adds id, time and workspace to an alert and returns it', async () => {
    const given = alert();
    const fired = await way.publisher.publish(given);
    expect(await way.arrived()).toEqual([
      expect.objectContaining({ ...given, ...fired, workspace_id: workspaceId }),
    ]);
  });

  test('each of 300 alerts that are published concurrently arrives exactly once', async () => {
    const fired = await Promise.all(Array.from({ length: 300 }, () => way.publisher.publish(alert())));
    const ids = (await way.arrived()).map(({ alert_id }) => alert_id);
    expect(ids.sort()).toEqual(fired.map(({ alert_id }) => alert_id).sort());
  });

  test('close waits for the confirms of earlier alerts, and later alerts are rejected', async () => {
    const last = way.publisher.publish(alert());
    await way.publisher.close();
    await expect(last).resolves.toBeDefined();
    await expect(way.publisher.publish(alert())).rejects.toThrow('closed');
  });
});

test('no alert is lost when the connection to the broker is cut during publishing', async () => {
  const { url } = await createTestBroker();
  const proxy = await startTcpProxy(url);
  const publisher = await createAmqpPublisher({ url: proxy.url, workspaceId });
  const given = Array.from({ length: 400 }, () => ({ ...alert(), alert_id: randomUUID() }));
  const publishing = given.map(async (one, index) => {
    if (index === 200) proxy.cut();
    return publisher.publish(one);
  });
  const first = await publishing[0];
  proxy.cut();
  expect(first?.alert_id).toBe(given[0]?.alert_id);
  expect((await Promise.all(publishing)).length).toBe(400);
  await publisher.close();
  const arrived = new Set((await drain(url)).map(({ alert_id }) => alert_id));
  expect(arrived).toEqual(new Set(given.map(({ alert_id }) => alert_id)));
  await proxy.close();
});

describe('a publisher with declare: false', () => {
  test('a publisher with declare: false uses the existing exchange and queue', async () => {
    const { url } = await createTestBroker();
    const publisher = await createAmqpPublisher({ url, workspaceId, declare: false });
    const { alert_id } = await publisher.publish(alert());
    await publisher.close();
    expect(await drain(url)).toEqual([expect.objectContaining({ alert_id })]);
  });

  test('publishing to a missing exchange fails without retries, and the error names the remedy', async () => {
    const publisher = await createAmqpPublisher({ url: blankHost(), workspaceId, declare: false });
    await expect(publisher.publish(alert())).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringMatching(/no exchange 'tocsin\.alerts'.* Start a Tocsin service once/),
    });
    await publisher.close();
  }, 5_000);

  test('an alert for an exchange without a queue fails at once, and the error names the remedy', async () => {
    const connection = await connect(blankHost());
    const channel = await connection.createChannel();
    await channel.assertExchange('tocsin.alerts', 'topic');
    const publisher = await createAmqpPublisher({ url: blankHost(), workspaceId, declare: false });
    await expect(publisher.publish(alert())).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringMatching(/No queue is bound.* Start a Tocsin service once/),
    });
    await publisher.close();
    await channel.deleteExchange('tocsin.alerts');
    await connection.close();
  }, 5_000);

  /** Returns the URL of a virtual host without Tocsin's exchanges and queues. */
  function blankHost(): string {
    const url = new URL(process.env.TOCSIN_TEST_AMQP_URL ?? '');
    url.pathname = '/blank';
    return url.href;
  }
});

test('publishing with a wrong password fails without retries', async () => {
  const { url } = await createTestBroker();
  const proxy = await startTcpProxy(url);
  const wrong = new URL(proxy.url);
  wrong.password = 'wrong';
  const publisher = await createAmqpPublisher({ url: wrong.href, workspaceId });
  const rejected = { code: 'misconfigured', message: expect.stringContaining('ACCESS_REFUSED - Login was') };
  await expect(publisher.publish(alert())).rejects.toMatchObject(rejected);
  proxy.cut();
  await expect(publisher.publish(alert())).rejects.toMatchObject(rejected);
  await publisher.close();
  await proxy.close();
}, 5_000);

test('the error of an unconfirmed alert names the address of an unreachable broker', async () => {
  const publisher = await createAmqpPublisher({
    url: 'amqp://127.0.0.1:9',
    workspaceId,
    giveUpAfterMs: 1_000,
  });
  await expect(publisher.publish(alert())).rejects.toMatchObject({
    code: 'unconfirmed',
    message: expect.stringContaining('connect ECONNREFUSED 127.0.0.1:9'),
  });
  await publisher.close();
});

test.each([
  ['/un%2Fknown', 'un/known'],
  ['/50%', '50%'],
])('the error of an unconfirmed alert names the rejected virtual host %s as %s', async (path, name) => {
  const { url } = await createTestBroker();
  const unknown = new URL(url);
  unknown.pathname = path;
  const publisher = await createAmqpPublisher({ url: unknown.href, workspaceId, giveUpAfterMs: 1_000 });
  await expect(publisher.publish(alert())).rejects.toMatchObject({
    code: 'unconfirmed',
    message: expect.stringContaining(`The broker rejects the virtual host "${name}": it does not exist`),
  });
  await publisher.close();
});

describe('unconfirmed alerts', () => {
  test('over AMQP an alert is retried until the timeout and then rejected as unconfirmed', async () => {
    const clock = createManualClock();
    const publisher = await createAmqpPublisher({ url: 'amqp://127.0.0.1:9', workspaceId, clock });
    const given = alert();
    const error: unknown = await publisher.publish(given).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(AlertNotPublishedError);
    expect(error).toMatchObject({ code: 'unconfirmed', alert: { ...given, workspace_id: workspaceId } });
    expect(clock.sleeps.length).toBeGreaterThan(10);
    expect(Math.max(...clock.sleeps)).toBeLessThanOrEqual(5_000);
    await publisher.close();
  });

  test.each([
    { metric_value: Number.NaN },
    { model_name: 'a\0b' },
    { model_name: '\ud800' },
    { alert_rule_id: 'not a uuid' },
    { bound: 'sideways' },
  ])('an alert with %j is rejected without publishing it', async (wrong) => {
    const publisher = await createAmqpPublisher({ url: 'amqp://127.0.0.1:9', workspaceId });
    const bad = { ...alert(), ...wrong } as PublishAlert;
    await expect(publisher.publish(bad)).rejects.toMatchObject({ code: 'rejected' });
    await publisher.close();
  });

  test('an aborted publish rejects with the code unconfirmed', async () => {
    const publisher = await createAmqpPublisher({ url: 'amqp://127.0.0.1:9', workspaceId });
    const controller = new AbortController();
    const publishing = publisher.publish(alert(), { signal: controller.signal });
    controller.abort();
    await expect(publishing).rejects.toMatchObject({ code: 'unconfirmed' });
    await publisher.close();
  });
});
