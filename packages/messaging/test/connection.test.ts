import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@tocsin/testing';
import { startBrokerProxy } from '@tocsin/testing/broker';
import { connect } from 'amqplib';
import { createPublisher } from '../src/publisher.js';
import { alertFiredQueue, deliveriesQueue } from '../src/topology.js';
import { alert, brokerUrl, newBroker, takeAlerts } from './support/broker.js';

test('a lost connection is opened again, and its publisher and consumer work again', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  const publisher = await createPublisher(broker);
  const taken = await takeAlerts(broker);
  proxy.cut();
  await until('the client has noticed the lost connection', () => !broker.isUp());
  await expect(publisher.publish(alert('lost'))).rejects.toMatchObject({ reason: 'unavailable' });
  await broker.ready();
  await publisher.publish(alert('after'));
  await until('the alert is consumed', () => taken.includes('after'));
  await proxy.close();
});

test('a channel whose preparation fails is opened again, even if the broker freezes briefly', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  let attached = 0;
  await broker.use(async () => {
    attached += 1;
    if (attached > 1) return;
    proxy.freeze();
    setTimeout(proxy.thaw, 50);
    throw new Error('not yet');
  });
  await until('it is connected', () => broker.isUp());
  expect(attached).toBe(2);
  await broker.close();
  await proxy.close();
});

test('a connection that the broker closes together with a reply is opened again', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  let attached = 0;
  await broker.use(async (channel) => {
    attached += 1;
    if (attached === 1) proxy.closeWithNextReply();
    await channel.checkQueue(alertFiredQueue);
  });
  await until('it is attached again', () => attached === 2);
  await broker.ready();
  await broker.close();
  await proxy.close();
});

test('a connection that is lost while a channel is closing is opened again', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  proxy.cutAtChannelClose();
  const warnings: string[] = [];
  const logger = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message) };
  const broker = await newBroker({ url: proxy.url, logger });
  await broker.ready();
  expect(warnings).toEqual(['broker.unreachable']);
  await broker.close();
  await proxy.close();
});

test('the broker counts as blocked if it blocks while the channels are being opened', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  await broker.use(async () => {
    proxy.sendBlocked();
    await sleep(50);
  });
  await broker.ready();
  expect(broker.isBlocked()).toBe(true);
  await broker.close();
  await proxy.close();
});

test('closing the connection to a frozen broker does not hang', async () => {
  const proxy = await startBrokerProxy(brokerUrl());
  const broker = await newBroker({ url: proxy.url });
  await broker.ready();
  proxy.freeze();
  await broker.close();
  await proxy.close();
});

test('queues are declared as quorum queues with a delivery limit of one million', async () => {
  const connection = await connect(brokerUrl());
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  const declare = channel.assertQueue(deliveriesQueue, {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000 },
  });
  await expect(declare).resolves.toMatchObject({ queue: deliveriesQueue });
  await connection.close();
});
