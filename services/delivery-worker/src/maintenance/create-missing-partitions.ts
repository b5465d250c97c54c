import { classifyDatabaseError, type Database, ensurePartitions, readClock } from '@tocsin/database';

/**
 * Repeats a statement that failed because a partition is missing, after creating the partitions of the present days.
 * The failed statement has changed nothing. For a day in the distant past the error is thrown.
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
