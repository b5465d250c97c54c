/** What an operator does to the database, and a network to the way there, while both sides live. */

import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../measure/clock.js';
import { alertsKeptWaiting, claimedByTheLost, nothingAtRisk, underLoad } from './exposure.js';
import { cutEveryMs, meddlingMs, overAndOver } from './repeat-fault.js';
import type { Exposure, Trial } from './trial.js';

const statements = 'statements under way';
/** Sessions of the services. */
const theirs =
  "datname = current_database() and backend_type = 'client backend' and application_name <> 'tocsin-faults'";

/** Calls a function of a session's process for each; how many of them had a statement under way, and heard it. */
async function callForEachSession({ database }: Trial, call: string): Promise<number> {
  const { rows } = await database.knex.raw<{ rows: { state: string; heard: boolean }[] }>(
    `select state, ${call}(pid) as heard from pg_stat_activity where ${theirs}`,
  );
  return rows.filter(({ state, heard }) => heard && state !== 'idle').length;
}

export function terminateSessions(trial: Trial): Promise<Exposure> {
  const blow = () => callForEachSession(trial, 'pg_terminate_backend');
  return overAndOver(trial, { everyMs: 200, of: statements, blow });
}

export function cancelStatements(trial: Trial): Promise<Exposure> {
  const blow = () => callForEachSession(trial, 'pg_cancel_backend');
  return overAndOver(trial, { everyMs: 5, of: statements, blow });
}

/** Both the workers' and the API's, with what is on the wire. */
export function cutDatabase(trial: Trial): Promise<Exposure> {
  const pids = async (which: string): Promise<number[]> => {
    const { rows } = await trial.database.knex.raw<{ rows: { pid: number }[] }>(
      `select pid from pg_stat_activity where ${theirs} and ${which}`,
    );
    return rows.map(({ pid }) => pid);
  };
  const blow = async () => {
    const busy = await pids("state <> 'idle'");
    for (const part of [trial.api, ...trial.workers]) part.database.cut();
    await sleep(cutEveryMs);
    const left = new Set(await pids('true'));
    return busy.filter((pid) => !left.has(pid)).length;
  };
  return overAndOver(trial, { everyMs: 0, of: statements, blow });
}

/** Every byte comes late, both ways: a database in another region. */
export async function delayDatabase(trial: Trial): Promise<Exposure> {
  const wires = [trial.api, ...trial.workers].map(({ database }) => database);
  await underLoad(trial);
  const sinceMs = monotonicMs();
  for (const wire of wires) wire.delay(lateMs);
  await sleep(meddlingMs);
  for (const wire of wires) wire.delay(0);
  return alertsKeptWaiting(trial, { sinceMs, forMs: 2 * lateMs });
}

const lateMs = 100;

/**
 * As `alter table` and `vacuum full` do, for longer than a statement may take and than a claim is held: a worker renews
 * the lease of what it cannot record (docs/adr/0039).
 */
export async function lockAttempts(trial: Trial): Promise<Exposure> {
  await underLoad(trial);
  return trial.database.knex.transaction(async (transaction) => {
    await transaction.raw('set local idle_in_transaction_session_timeout = 0');
    await transaction.raw('lock table attempts in access exclusive mode');
    const { all } = await claimedByTheLost(trial, new Date());
    await sleep(1.5 * trial.timing.claimLeaseMs);
    return nothingAtRisk(all.size, 'claimed and not recorded');
  });
}

/** As where a primary has become a standby: who was connected is so no more, and may read but not write. */
export async function forbidWriting(trial: Trial): Promise<Exposure> {
  const { knex } = trial.database;
  await underLoad(trial);
  await knex.raw('alter database tocsin set default_transaction_read_only = on');
  await callForEachSession(trial, 'pg_terminate_backend');
  const over = sleep(meddlingMs);
  const { all } = await claimedByTheLost(trial, new Date());
  await over;
  await knex.transaction(async (transaction) => {
    await transaction.raw('set transaction read write');
    await transaction.raw('alter database tocsin reset default_transaction_read_only');
  });
  return nothingAtRisk(all.size, 'claimed and not recorded');
}
