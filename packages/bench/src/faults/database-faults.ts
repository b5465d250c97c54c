/** Faults of a database that keeps running: administrative actions and network failures. */

import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../measure/clock.js';
import { suiteApplicationName } from '../test-bed/test-bed.js';
import { delayedAlerts, noRepeats, readUnrecordedClaims, startLoad } from './exposure.js';
import type { Exposure, Trial } from './fault.js';
import { untilReported } from './readiness.js';
import { cutIntervalMs, faultDurationMs, repeatFault } from './repeat-fault.js';

const statements = 'statements in progress';
const isServiceSession = `datname = current_database() and backend_type = 'client backend'
  and application_name <> '${suiteApplicationName}'`;

/**
 * Calls a PostgreSQL function, such as `pg_terminate_backend`, for each session of a service. Returns the number of
 * signalled sessions that were not idle.
 */
async function signalSessions({ database }: Trial, functionName: string): Promise<number> {
  const { rows } = await database.knex.raw<{ rows: { state: string; signalled: boolean }[] }>(
    `select state, ${functionName}(pid) as signalled from pg_stat_activity where ${isServiceSession}`,
  );
  return rows.filter(({ state, signalled }) => signalled && state !== 'idle').length;
}

export function terminateSessions(trial: Trial): Promise<Exposure> {
  const inject = () => signalSessions(trial, 'pg_terminate_backend');
  return repeatFault(trial, { intervalMs: 200, of: statements, inject });
}

export function cancelStatements(trial: Trial): Promise<Exposure> {
  const inject = () => signalSessions(trial, 'pg_cancel_backend');
  return repeatFault(trial, { intervalMs: 5, of: statements, inject });
}

/**
 * Repeatedly cuts the connections of workers and API to the database. Bytes in transit are lost. Counts the busy
 * sessions that the cuts have ended.
 */
export function cutDatabase(trial: Trial): Promise<Exposure> {
  const readPids = async (condition: string): Promise<number[]> => {
    const { rows } = await trial.database.knex.raw<{ rows: { pid: number }[] }>(
      `select pid from pg_stat_activity where ${isServiceSession} and ${condition}`,
    );
    return rows.map(({ pid }) => pid);
  };
  const inject = async () => {
    const busy = await readPids("state <> 'idle'");
    for (const service of [trial.api, ...trial.workers]) service.database.cut();
    await sleep(cutIntervalMs);
    const remaining = new Set(await readPids('true'));
    return busy.filter((pid) => !remaining.has(pid)).length;
  };
  return repeatFault(trial, { intervalMs: 0, of: statements, inject });
}

const latencyMs = 100;

/** Adds a network delay of 100 ms in each direction, as between two regions. */
export async function delayDatabase(trial: Trial): Promise<Exposure> {
  const proxies = [trial.api, ...trial.workers].map(({ database }) => database);
  await startLoad(trial);
  const sinceMs = monotonicMs();
  for (const proxy of proxies) proxy.delay(latencyMs);
  await sleep(faultDurationMs);
  for (const proxy of proxies) proxy.delay(0);
  return delayedAlerts(trial, { sinceMs, minimumMs: 2 * latencyMs });
}

/**
 * Locks the table `attempts` as `alter table` and `vacuum full` do, and keeps the lock for longer than the lease of a
 * worker. Without `--short`, the lock also lasts longer than the statement timeout. Workers keep their claims of
 * deliveries that they cannot record (docs/adr/0007).
 */
export async function lockAttempts(trial: Trial): Promise<Exposure> {
  await startLoad(trial);
  return trial.database.knex.transaction(async (transaction) => {
    await transaction.raw('set local idle_in_transaction_session_timeout = 0');
    await transaction.raw('lock table attempts in access exclusive mode');
    const { all } = await readUnrecordedClaims(trial);
    await sleep(trial.timing.lockedMs);
    return noRepeats(all.size, 'deliveries claimed and not recorded');
  });
}

/**
 * Makes the database read-only and ends all sessions of services, as happens when a primary becomes a standby.
 * `/readyz` of each worker must report that the database is read-only.
 */
export async function forbidWriting(trial: Trial): Promise<Exposure> {
  const { knex } = trial.database;
  await startLoad(trial);
  await knex.raw('alter database tocsin set default_transaction_read_only = on');
  await signalSessions(trial, 'pg_terminate_backend');
  const reported = untilReported(trial.workers, 'The database is read-only.');
  const { all } = await readUnrecordedClaims(trial);
  await reported;
  await knex.transaction(async (transaction) => {
    await transaction.raw('set transaction read write');
    await transaction.raw('alter database tocsin reset default_transaction_read_only');
  });
  return noRepeats(all.size, 'deliveries claimed and not recorded');
}
