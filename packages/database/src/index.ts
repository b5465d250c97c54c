export { type IdRange, narrowToAlert } from './alert-range-reader.js';
export {
  createDatabase,
  type Database,
  type DatabaseOptions,
  type Prepared,
  type Transaction,
} from './connection.js';
export {
  classifyDatabaseError,
  type DatabaseErrorKind,
  isDatabaseUnavailable,
  isStatementTimeout,
  toUnavailableError,
} from './errors.js';
export { migrateDatabase } from './migrate-database.js';
export { type Migration, migrations } from './migrations/index.js';
export { newestFirst } from './newest-first.js';
export { ensurePartitions, readClock } from './partitions-repository.js';
export { readWithTimeout } from './read-with-timeout.js';
export { firstIdAt, firstIdOf, recordId, timeOfRecordId } from './record-id.js';
export { countRedeliverable, type RedeliveryPage, runRedeliveryPage } from './redelivery-job-repository.js';
export { type RedeliverOutcome, redeliver } from './redelivery-repository.js';
export {
  deleteExpiredDeadLetters,
  deleteExpiredRedeliveries,
  dropExpiredDays,
  forgetExpiredKeys,
  type Retention,
} from './retention-repository.js';
export { checkSchema } from './schema-reader.js';
export {
  createSecretBox,
  parseSecretKeys,
  type SecretBox,
  type SecretKey,
  type SecretLocation,
} from './secret-box.js';
export { sqlArray } from './sql-array.js';
