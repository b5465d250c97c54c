// Repositories that the API and the worker share: redelivery, retention, and reading history newest first.

export { type IdRange, narrowToAlert, readNewestFirst } from './history-reader.js';
export { countRedeliverable, type RedeliveryPage, runRedeliveryPage } from './redelivery-job-repository.js';
export { type RedeliverOutcome, redeliver } from './redelivery-repository.js';
export {
  deleteExpiredAlertKeys,
  deleteExpiredDeadLetters,
  deleteExpiredRedeliveries,
  dropExpiredDays,
  type Retention,
} from './retention-repository.js';
