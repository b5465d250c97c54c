import { classifyDatabaseError, type Database, ensurePartitions, readClock } from '@tocsin/database';

/**
 * Wraps a database. If a statement fails because a partition is missing, the partitions of the current days are created
 * and the statement is repeated; the failed statement has changed nothing. If the statement needs a partition of
 * another day, its error is thrown.
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
