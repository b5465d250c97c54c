import { classifyDatabaseError, type Database, ensurePartitions, readClock } from '@tocsin/database';

/**
 * Creates the partitions of the present days when a statement fails for want of one, and runs the statement again: it has
 * changed nothing. For a day in the distant past the error is thrown.
 */
export function createMissingPartitions(database: Database): Database {
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
