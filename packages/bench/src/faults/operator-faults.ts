/** What is done to servers, and to what they hold, while both sides live. */

import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { alertFiredQueue, deliveriesQueue } from '@tocsin/messaging';
import { type Channel, connect } from 'amqplib';
import { monotonicMs } from '../measure/clock.js';
import { atRisk, claimedNow, nothingAtRisk, underLoad } from './in-flight.js';
import type { TcpProxy } from './tcp-proxy.js';
import type { Exposure, Trial } from './trial.js';

const meddlingMs = 10_000;

/** Does it over and over; nobody dies, so nothing may be repeated. */
async function overAndOver(trial: Trial, everyMs: number, blow: () => Promise<unknown>): Promise<Exposure> {
  const inFlight = await underLoad(trial);
  const endMs = monotonicMs() + meddlingMs;
  while (monotonicMs() < endMs) {
    await blow();
    await sleep(everyMs);
  }
  return nothingAtRisk(inFlight);
}

const others = "datname = current_database() and application_name <> 'tocsin-faults'";

export function terminateSessions(trial: Trial): Promise<Exposure> {
  return overAndOver(trial, 200, () =>
    trial.database.knex.raw(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`),
  );
}

export function cancelStatements(trial: Trial): Promise<Exposure> {
  return overAndOver(trial, 5, () =>
    trial.database.knex.raw(`select pg_cancel_backend(pid) from pg_stat_activity where ${others}`),
  );
}

/** Both the worker's and the API's, with what is on the wire. */
export function cutConnections(
  choose: (part: Trial['api']) => TcpProxy,
): (trial: Trial) => Promise<Exposure> {
  return (trial) =>
    overAndOver(trial, 300, async () => {
      for (const part of [trial.api, ...trial.workers]) choose(part).cut();
    });
}

export function closeBrokerConnections(trial: Trial): Promise<Exposure> {
  return overAndOver(trial, 0, () => trial.rabbitmq.control('close_all_connections', 'meddling'));
}

/** Every byte comes late, both ways: a database in another region. */
export async function delayDatabase(trial: Trial): Promise<Exposure> {
  const wires = [trial.api, ...trial.workers].map(({ database }) => database);
  const inFlight = await underLoad(trial);
  for (const wire of wires) wire.delay(lateMs);
  await sleep(meddlingMs);
  for (const wire of wires) wire.delay(0);
  return nothingAtRisk(inFlight);
}

const lateMs = 100;

/** As `alter table` and `vacuum full` do, for longer than a statement may take and than a claim is held. */
export async function lockAttempts(trial: Trial): Promise<Exposure> {
  await underLoad(trial);
  return trial.database.knex.transaction(async (transaction) => {
    await transaction.raw('set local idle_in_transaction_session_timeout = 0');
    await transaction.raw('lock table attempts in access exclusive mode');
    // Whose lease does not outlast the lock may be sent again by another worker, once.
    await sleep(trial.timing.claimLeaseMs / 2);
    const { all: early } = await claimedNow(trial);
    await sleep(trial.timing.claimLeaseMs);
    const { all: late } = await claimedNow(trial);
    return atRisk(new Set([...early, ...late]), 'claimed', monotonicMs());
  });
}

/** As where a primary has become a standby: who was connected is so no more, and may read but not write. */
export async function forbidWriting(trial: Trial): Promise<Exposure> {
  const { knex } = trial.database;
  const inFlight = await underLoad(trial);
  await knex.raw('alter database tocsin set default_transaction_read_only = on');
  await knex.raw(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`);
  await sleep(meddlingMs);
  await knex.transaction(async (transaction) => {
    await transaction.raw('set transaction read write');
    await transaction.raw('alter database tocsin reset default_transaction_read_only');
  });
  return nothingAtRisk(inFlight);
}

/** The user of all Tocsin may do nothing for a while. */
export async function takePermissions(trial: Trial): Promise<Exposure> {
  const inFlight = await underLoad(trial);
  const { username } = new URL(trial.rabbitmq.url);
  await trial.rabbitmq.control('set_permissions', username, '^$', '^$', '^$');
  // What it may do is remembered by each channel; a new one asks.
  await trial.rabbitmq.control('close_all_connections', 'meddling');
  await sleep(meddlingMs);
  await trial.rabbitmq.control('set_permissions', username, '.*', '.*', '.*');
  return nothingAtRisk(inFlight);
}

/** What is confirmed meanwhile has nowhere to go but the queue of what nobody listens to. */
export const unbindAlerts = meddle((channel) =>
  channel.unbindQueue(alertFiredQueue, alertsExchange, alertFiredKey),
);

export const deleteAlertsExchange = meddle((channel) => channel.deleteExchange(alertsExchange));

/** With what it holds: each of these is a row that says so. */
export const deleteDeliveriesQueue = meddle((channel) => channel.deleteQueue(deliveriesQueue));

function meddle(act: (channel: Channel) => Promise<unknown>): (trial: Trial) => Promise<Exposure> {
  return async (trial) => {
    const inFlight = await underLoad(trial);
    const connection = await connect(trial.rabbitmq.url);
    const channel = await connection.createChannel();
    await act(channel);
    await connection.close();
    return nothingAtRisk(inFlight);
  };
}
