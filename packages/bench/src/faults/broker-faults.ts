/** Faults of a broker that keeps running: administrative actions, changed topology and network failures. */

import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, alertsExchange, decodeDeliveriesDue } from '@tocsin/contracts';
import { alertFiredQueue, deliveriesQueue } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { type Channel, connect } from 'amqplib';
import { monotonicMs } from '../measure/clock.js';
import { delayedAlerts, noRepeats, startLoad } from './exposure.js';
import { type Exposure, recoveryPolling, type Trial } from './fault.js';
import { cutIntervalMs, faultDurationMs, repeatFault } from './repeat-fault.js';

/** Reason given to `rabbitmqctl close_all_connections`. The broker sends it to the clients. */
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

/**
 * Breaks the connections of the services to the broker repeatedly. When a connection ends, the broker redelivers its
 * unacknowledged messages.
 */
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

/** Returns the broker's own counter of redelivered messages. It is 0 after a start of the node. */
async function countRedelivered({ rabbitmq }: Trial): Promise<number> {
  const counters = 'maps:values(rabbit_global_counters:overview())';
  const sum = `lists:sum([maps:get(messages_redelivered_total, C, 0) || C <- ${counters}]).`;
  return Number(await rabbitmq.control('eval', sum));
}

/** Removes all permissions of the user with which the services connect to the broker, for the time of the fault. */
export async function revokePermissions(trial: Trial): Promise<Exposure> {
  await startLoad(trial);
  const { username } = new URL(trial.rabbitmq.url);
  const sinceMs = monotonicMs();
  await trial.rabbitmq.control('set_permissions', username, '^$', '^$', '^$');
  // A channel caches its permissions. New channels read them again, so all connections are closed.
  await closeAllConnections(trial);
  await sleep(faultDurationMs);
  await trial.rabbitmq.control('set_permissions', username, '.*', '.*', '.*');
  return delayedAlerts(trial, { sinceMs });
}

const unroutedExchange = 'tocsin.alerts.unrouted';
const observationMs = 2_000;

/**
 * Removes the binding of the queue of alerts. Until a service restores it, the broker routes alerts only to the queue
 * for unrouted alerts, and confirms them.
 */
export const unbindAlerts = changeTopology(async (channel) => {
  // A temporary queue receives a copy of each unrouted alert, so that the test can count these alerts. The broker
  // deletes the queue when the connection ends.
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
 * The destination responds after five seconds, so the webhooks soon use all slots that they may have. Further
 * deliveries pass through the queue instead of being claimed at write (docs/adr/0011).
 */
const slowResponses = { delayMs: 5_000 };
const minDeliveriesToLose = 50;

/**
 * Deletes the queue of deliveries while it contains messages. Workers normally empty it at once, so the fault first
 * consumes some messages without acknowledging them. The rows of the deliveries in these messages remain in the
 * database, so no delivery may be lost.
 */
export const deleteDeliveriesQueue = changeTopology(async (channel, { destination }) => {
  await destination.call('setBehaviour', slowResponses);
  let unacknowledged = 0;
  await channel.consume(deliveriesQueue, (message) => {
    if (message !== null) unacknowledged += (decodeDeliveriesDue(message.content) ?? []).length;
  });
  await until('the queue has deliveries', () => unacknowledged >= minDeliveriesToLose, recoveryPolling);
  await channel.deleteQueue(deliveriesQueue);
  return noRepeats(unacknowledged, 'deliveries in the queue');
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
