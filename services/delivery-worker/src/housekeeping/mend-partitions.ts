import { classifyDatabaseError, type Database, ensurePartitions, readClock } from '@tocsin/database';

/**
 * A day without its partition is our fault and not the row's: the partitions are made, and the statement, of which
 * nothing was done, is run again. Where that does not help, as for a day long past, its error is thrown.
 */
export function mendPartitions(database: Database): Database {
  return {
    ...database,
    async prepared<Row>(...statement: Parameters<Database['prepared']>) {
      try {
        return await database.prepared<Row>(...statement);
      } catch (error) {
        if (classifyDatabaseError(error) !== 'missing_partition') throw error;
        await ensurePartitions(database, await readClock(database));
        return database.prepared<Row>(...statement);
      }
    },
  };
}
