/** What an operator does to the broker and to what it holds, and a network to the way there, while both sides live. */

import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { alertFiredQueue, deliveriesQueue } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { type Channel, connect } from 'amqplib';
import { monotonicMs } from '../measure/clock.js';
import { alertsKeptWaiting, nothingAtRisk, underLoad } from './exposure.js';
import { cutEveryMs, meddlingMs, overAndOver } from './repeat-fault.js';
import { type Exposure, patience, type Trial } from './trial.js';

export function cutBroker(trial: Trial): Promise<Exposure> {
  return breakBrokerConnections(trial, cutEveryMs, async () => {
    for (const part of [trial.api, ...trial.workers]) part.broker.cut();
  });
}

export function closeBrokerConnections(trial: Trial): Promise<Exposure> {
  return breakBrokerConnections(trial, 0, () => trial.rabbitmq.control('close_all_connections', 'meddling'));
}

/** What a worker has not acknowledged by then is handed out again. */
async function breakBrokerConnections(
  trial: Trial,
  everyMs: number,
  act: () => Promise<unknown>,
): Promise<Exposure> {
  const before = await countRedelivered(trial);
  const blow = () => act().then(() => 0);
  const exposure = await overAndOver(trial, { everyMs, of: 'messages handed out again', blow });
  return { ...exposure, inFlight: (await countRedelivered(trial)) - before };
}

/** Since the broker was started, by its own count. */
async function countRedelivered({ rabbitmq }: Trial): Promise<number> {
  const counters = 'maps:values(rabbit_global_counters:overview())';
  const sum = `lists:sum([maps:get(messages_redelivered_total, C, 0) || C <- ${counters}]).`;
  return Number(await rabbitmq.control('eval', sum));
}

/** The user of all Tocsin may do nothing for a while. */
export async function takePermissions(trial: Trial): Promise<Exposure> {
  await underLoad(trial);
  const { username } = new URL(trial.rabbitmq.url);
  const sinceMs = monotonicMs();
  await trial.rabbitmq.control('set_permissions', username, '^$', '^$', '^$');
  // What it may do is remembered by each channel; a new one asks.
  await trial.rabbitmq.control('close_all_connections', 'meddling');
  await sleep(meddlingMs);
  await trial.rabbitmq.control('set_permissions', username, '.*', '.*', '.*');
  return alertsKeptWaiting(trial, { sinceMs });
}

const unroutedExchange = 'tocsin.alerts.unrouted';
const watchedMs = 2_000;

/** What is confirmed meanwhile has nowhere to go but the queue of what nobody listens to. */
export const unbindAlerts = meddle(async (channel) => {
  // Gets a copy of each, and goes with the connection.
  const { queue: copies } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(copies, unroutedExchange, '');
  await channel.unbindQueue(alertFiredQueue, alertsExchange, alertFiredKey);
  await sleep(watchedMs);
  const { messageCount } = await channel.checkQueue(copies);
  return nothingAtRisk(messageCount, 'alerts that nobody listened to');
});

export const deleteAlertsExchange = meddle(async (channel, trial) => {
  const sinceMs = monotonicMs();
  await channel.deleteExchange(alertsExchange);
  await sleep(watchedMs);
  return alertsKeptWaiting(trial, { sinceMs, forMs: 200 });
});

/** Answers so slow that deliveries go through the queue, and are not begun as they are written (docs/adr/0035). */
const unquickAnswers = { delayMs: 1_000 };
const messagesToLose = 50;

/** With what it holds: each of these is a row that says so. Else workers empty it at once, and there is nothing to lose. */
export const deleteDeliveriesQueue = meddle(async (channel, { counter }) => {
  await counter.call('behave', unquickAnswers);
  let held = 0;
  await channel.consume(deliveriesQueue, (message) => {
    if (message !== null) held += 1;
  });
  await until('messages wait in the queue', () => held >= messagesToLose, patience);
  await channel.deleteQueue(deliveriesQueue);
  return nothingAtRisk(held, 'messages in the queue');
});

function meddle(
  act: (channel: Channel, trial: Trial) => Promise<Exposure>,
): (trial: Trial) => Promise<Exposure> {
  return async (trial) => {
    await underLoad(trial);
    const connection = await connect(trial.rabbitmq.url);
    const exposure = await act(await connection.createChannel(), trial);
    await connection.close();
    return exposure;
  };
}
