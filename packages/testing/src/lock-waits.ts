import type { Database } from '@tocsin/database';
import { until } from './until.js';

export interface LockWaits {
  /** Smallest number of sessions that must wait for a lock. Default: 1. */
  sessions?: number;
  /** Counts only sessions whose statement contains this text. By default, sessions with any statement are counted. */
  statement?: string;
  /** Counts only sessions with this application name. By default, sessions with any name are counted. */
  applicationName?: string;
}

/** Waits until at least `sessions` sessions of this database that match `waits` wait for a lock. */
export async function untilLockWaits(database: Database, waits: LockWaits = {}): Promise<void> {
  const { sessions = 1, statement = '', applicationName = null } = waits;
  await until(`${sessions} sessions wait for a lock`, async () => {
    const { rows } = await database.knex.raw(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
       and position(:statement in query) > 0 and application_name = coalesce(:applicationName, application_name)`,
      { statement, applicationName },
    );
    return rows.length >= sessions;
  });
}
