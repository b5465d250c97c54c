// Access to PostgreSQL: connections, migrations, partitions, encrypted columns, audit events, ids and array parameters.
// Contains no domain logic.

export { lateAttempts, moveToArchive, readArchiveAge } from './archive-repository.js';
export { type AuditAuthor, type AuditedChange, recordChanges, systemAuthor } from './audit-log.js';
export { checkCanary, writeFirstCanary } from './canary-repository.js';
export {
  createDatabase,
  type Database,
  type DatabaseOptions,
  type PreparedStatement,
  type Transaction,
} from './connection.js';
export {
  classifyDatabaseError,
  type DatabaseErrorKind,
  explainWriteFailure,
  isDatabaseUnavailable,
  isLockTimeout,
  isStatementTimeout,
  toUnavailableError,
} from './errors.js';
export { lockName, tryLockName } from './lock-name.js';
export { migrateDatabase } from './migrate-database.js';
export { type Migration, migrations } from './migrations/index.js';
export {
  createPartition,
  createPartitionsOfDay,
  ensurePartitions,
  listDays,
  ofDay,
  partitionName,
  partitionsOfDay,
  readClock,
} from './partitions-repository.js';
export { createPoolMetrics } from './pool-metrics.js';
export { readWithTimeout } from './read-with-timeout.js';
export {
  dayOfRecordId,
  firstIdAt,
  firstIdOf,
  firstIdSql,
  highestId,
  lastIdAt,
  lowestId,
  recordId,
  timeOfRecordId,
} from './record-id.js';
export { checkSchema } from './schema-reader.js';
export {
  createSecretBox,
  keyIdSql,
  parseSecretKeys,
  readSecretsKeys,
  type SecretBox,
  type SecretLocation,
} from './secret-box.js';
export { sanitizeOrNull, sanitizeText, sqlArray } from './sql-array.js';
