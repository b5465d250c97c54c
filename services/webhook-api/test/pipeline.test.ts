import { randomUUID } from 'node:crypto';
import { decodePipelineMarker, pipelineMarkerKey } from '@tocsin/contracts';
import { lowestId } from '@tocsin/database';
import { Secret } from '@tocsin/kit';
import { alertFiredQueue, createBroker, createConsumer } from '@tocsin/messaging';
import { startTcpProxy, type TcpProxy, until } from '@tocsin/testing';
import { createTestBroker } from '@tocsin/testing/broker';
import {
  createTestDatabase,
  insertDelivery,
  insertWebhook,
  type TestDatabase,
} from '@tocsin/testing/database';
import { createPipelineReader } from '../src/pipeline/pipeline-reader.js';
import { startApi, type TestApi } from './support/api.js';

let database: TestDatabase;
let databaseProxy: TcpProxy;
let brokerProxy: TcpProxy;
let api: TestApi;
const pipelineIntervals = { markEveryMs: 50, readEveryMs: 50 };

beforeAll(async () => {
  database = await createTestDatabase();
  databaseProxy = await startTcpProxy(database.url);
  brokerProxy = await startTcpProxy((await createTestBroker()).url);
  const config = { databaseUrl: new Secret(databaseProxy.url), amqpUrl: new Secret(brokerProxy.url) };
  api = await startApi({ config, pipelineIntervals });
});
afterAll(async () => {
  // Without cutting the connections first, closing the service would wait for statements that hang.
  for (const proxy of [databaseProxy, brokerProxy]) proxy.cut();
  await api.close();
  await Promise.all([databaseProxy.close(), brokerProxy.close()]);
  await database.drop();
});

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`${api.metricsUrl}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{[^}]*\\} (.+)$`, 'm').exec(text)?.[1]);
}
const lag = () => gauge('tocsin_pipeline_lag_seconds');
const oldest = () => gauge('tocsin_oldest_delivery_seconds');
const grows = async (read: () => Promise<number>) => {
  const before = await read();
  await new Promise((resolve) => setTimeout(resolve, 300));
  return (await read()) - before;
};
const mark = (agoMs: number) =>
  database.database
    .knex('pipeline_marker')
    .insert({ marked_at: new Date(Date.now() - agoMs) })
    .onConflict('id')
    .merge();

test("pipeline markers with the database's time arrive in the queue of alerts", async () => {
  const broker = await createBroker({ url: api.broker.url, name: 'test' });
  const times: (number | undefined)[] = [];
  await createConsumer(broker, {
    queue: alertFiredQueue,
    prefetch: 100,
    handle(message) {
      expect(message.routingKey).toBe(pipelineMarkerKey);
      times.push(decodePipelineMarker(message.content));
      message.ack();
    },
    onError: (error) => {
      throw error;
    },
  });
  await until('three have arrived', () => times.length >= 3);
  for (const time of times) expect(Math.abs((time ?? 0) - Date.now())).toBeLessThan(30_000);
  await broker.close();
});

test('the pipeline lag grows until a marker is committed, and then is the age of the marker', async () => {
  expect(await lag()).toBeLessThan(60);
  expect(await grows(lag)).toBeGreaterThan(0.2);
  await mark(600_000);
  await until('it is ten minutes', async () => Math.abs((await lag()) - 600) < 5);
  await mark(0);
  await until('it is none', async () => (await lag()) < 5);
});

test.each([
  ['refuses connections', 'refuse'],
  ['does not respond', 'freeze'],
] as const)('pipeline lag and oldest-delivery age keep growing while the database %s', async (_, fault) => {
  const id = await insertDelivery(database.database, {
    status: 'open',
    open: { opened_at: new Date(Date.now() - 300_000) },
  });
  await mark(100_000);
  await until('both are read', async () => (await lag()) > 99 && (await oldest()) > 299);
  databaseProxy[fault]();
  for (const read of [lag, oldest]) expect(await grows(read)).toBeGreaterThan(0.2);
  databaseProxy.cut();
  databaseProxy.thaw();
  await database.database.knex('open_deliveries').where({ delivery_id: id }).delete();
  await mark(0);
  await until('both are low again', async () => (await lag()) < 20 && (await oldest()) === 0, {
    timeoutMs: 20_000,
  });
});

test('the oldest-delivery gauge ignores attempted deliveries and paused webhooks', async () => {
  const { knex } = database.database;
  const [paused, free] = [await insertWebhook(database.database), await insertWebhook(database.database)];
  const hour = new Date(Date.now() - 3_600_000);
  await knex('webhook_pauses').insert({
    webhook_id: paused,
    reason: 'circuit',
    paused_until: new Date(Date.now() + 60_000),
    times: 1,
  });
  const add = (webhookId: string, open: object) =>
    insertDelivery(database.database, { webhookId, status: 'open', open, acceptedAtMs: hour.getTime() });
  await add(paused, { opened_at: hour });
  await add(free, { opened_at: hour, step: 1 });
  await add(free, { opened_at: hour, run: 2 });
  expect(await oldest()).toBe(0);
  await add(free, { opened_at: hour, state: 'queued', claimed_by: randomUUID(), claim: 1 });
  await until('it is an hour', async () => Math.abs((await oldest()) - 3_600) < 60);
  await knex('open_deliveries').whereNotNull('claimed_by').delete();
  await until('it is none', async () => (await oldest()) === 0);
  await knex('webhook_pauses').update({ paused_until: hour });
  await until('the pause has ended', async () => Math.abs((await oldest()) - 3_600) < 60);
  await knex('open_deliveries').delete();
});

test('the oldest delivery is an unattempted one of a webhook that may be called now', async () => {
  const { knex } = database.database;
  const reader = createPipelineReader(database.database);
  const webhook = () => insertWebhook(database.database);
  const [paused, recent, limited, free] = [
    await webhook(),
    await webhook(),
    await webhook(),
    await webhook(),
  ];
  const pause = (webhook_id: string, endsInMs: number) =>
    knex('webhook_pauses').insert({
      webhook_id,
      reason: 'circuit',
      paused_until: new Date(Date.now() + endsInMs),
      times: 1,
    });
  await pause(paused, 60_000);
  await pause(recent, -30_000);
  await pause(free, -90_000);
  await knex('webhook_rate_limits').insert({ webhook_id: limited, requests: 1, period_ms: 1_000 });
  const add = (webhookId: string, agoMs: number, open: object = {}) =>
    insertDelivery(database.database, {
      webhookId,
      status: 'open',
      open: { opened_at: new Date(Date.now() - agoMs), ...open },
      acceptedAtMs: Date.now() - agoMs,
    });
  for (const webhookId of [paused, recent, limited]) await add(webhookId, 900_000);
  await add(free, 900_000, { step: 1 });
  await add(free, 900_000, { run: 2 });
  await add(free, 900_000, { waiting_reason: 'no_signing_secret' });
  expect(await reader.oldestDelivery(lowestId)).toEqual({ kind: 'none' });
  await add(free, 300_000);
  const oldest = await add(free, 600_000);
  expect(await reader.oldestDelivery(lowestId)).toEqual({
    kind: 'found',
    ageSeconds: expect.closeTo(600, -2),
  });
  expect(await reader.oldestDelivery(oldest)).toEqual({
    kind: 'found',
    ageSeconds: expect.closeTo(300, -2),
  });
  await knex('open_deliveries').delete();
});

test('the pipeline lag grows while the broker is unavailable', async () => {
  brokerProxy.refuse();
  brokerProxy.cut();
  expect(await grows(lag)).toBeGreaterThan(0.2);
  brokerProxy.thaw();
});
