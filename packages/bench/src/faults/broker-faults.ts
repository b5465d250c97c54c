/** Faults of a broker that keeps running: administrative actions on it and its topology, and network failures. */

import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { alertFiredQueue, deliveriesQueue } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { type Channel, connect } from 'amqplib';
import { monotonicMs } from '../measure/clock.js';
import { delayedAlerts, noRepeats, startLoad } from './exposure.js';
import { type Exposure, recoveryPolling, type Trial } from './fault.js';
import { cutIntervalMs, faultDurationMs, repeatFault } from './repeat-fault.js';

/** Reason that `rabbitmqctl close_all_connections` gives to the clients. */
const closeReason = 'fault injection';

export function cutBroker(trial: Trial): Promise<Exposure> {
  return breakBrokerConnections(trial, cutIntervalMs, async () => {
    for (const service of [trial.api, ...trial.workers]) service.broker.cut();
  });
}

export function closeBrokerConnections(trial: Trial): Promise<Exposure> {
  return breakBrokerConnections(trial, 0, () => closeAllConnections(trial));
}

function closeAllConnections({ rabbitmq }: Trial): Promise<string> {
  return rabbitmq.control('close_all_connections', closeReason);
}

/** The broker redelivers the messages that a worker has not acknowledged when its connection ends. */
async function breakBrokerConnections(
  trial: Trial,
  intervalMs: number,
  breakAll: () => Promise<unknown>,
): Promise<Exposure> {
  const before = await countRedelivered(trial);
  const inject = () => breakAll().then(() => 0);
  const exposure = await repeatFault(trial, { intervalMs, of: 'redelivered messages', inject });
  return { ...exposure, inFlight: (await countRedelivered(trial)) - before };
}

/** Reads the broker's own counter, which starts at 0 with the node. */
async function countRedelivered({ rabbitmq }: Trial): Promise<number> {
  const counters = 'maps:values(rabbit_global_counters:overview())';
  const sum = `lists:sum([maps:get(messages_redelivered_total, C, 0) || C <- ${counters}]).`;
  return Number(await rabbitmq.control('eval', sum));
}

/** Takes all permissions from the user of all services for a while. */
export async function revokePermissions(trial: Trial): Promise<Exposure> {
  await startLoad(trial);
  const { username } = new URL(trial.rabbitmq.url);
  const sinceMs = monotonicMs();
  await trial.rabbitmq.control('set_permissions', username, '^$', '^$', '^$');
  // Each channel caches its permissions; new channels read them.
  await closeAllConnections(trial);
  await sleep(faultDurationMs);
  await trial.rabbitmq.control('set_permissions', username, '.*', '.*', '.*');
  return delayedAlerts(trial, { sinceMs });
}

const unroutedExchange = 'tocsin.alerts.unrouted';
const observationMs = 2_000;

/** Removes the binding of the alerts queue. Alerts confirmed meanwhile are in the queue for unrouted alerts only. */
export const unbindAlerts = changeTopology(async (channel) => {
  // A temporary queue counts a copy of each unrouted alert; it is deleted with the connection.
  const { queue: copies } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(copies, unroutedExchange, '');
  await channel.unbindQueue(alertFiredQueue, alertsExchange, alertFiredKey);
  await sleep(observationMs);
  const { messageCount } = await channel.checkQueue(copies);
  return noRepeats(messageCount, 'unrouted alerts');
});

export const deleteAlertsExchange = changeTopology(async (channel, trial) => {
  const sinceMs = monotonicMs();
  await channel.deleteExchange(alertsExchange);
  await sleep(observationMs);
  return delayedAlerts(trial, { sinceMs, minimumMs: 200 });
});

/**
 * With responses after one second, deliveries pass through the queue instead of being claimed at write (docs/adr/0011).
 */
const slowClassResponses = { delayMs: 1_000 };
const minMessagesToLose = 50;

/**
 * Deletes the deliveries queue with messages in it. The fault consumes the queue without acknowledgements first, because
 * workers empty it at once. Each lost message still has its row in the database.
 */
export const deleteDeliveriesQueue = changeTopology(async (channel, { destination }) => {
  await destination.call('setBehaviour', slowClassResponses);
  let unacknowledged = 0;
  await channel.consume(deliveriesQueue, (message) => {
    if (message !== null) unacknowledged += 1;
  });
  await until('the queue has messages', () => unacknowledged >= minMessagesToLose, recoveryPolling);
  await channel.deleteQueue(deliveriesQueue);
  return noRepeats(unacknowledged, 'messages in the queue');
});

function changeTopology(
  inject: (channel: Channel, trial: Trial) => Promise<Exposure>,
): (trial: Trial) => Promise<Exposure> {
  return async (trial) => {
    await startLoad(trial);
    const connection = await connect(trial.rabbitmq.url);
    const exposure = await inject(await connection.createChannel(), trial);
    await connection.close();
    return exposure;
  };
}
