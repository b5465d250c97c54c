// Repositories that the API and the worker share: publishers of alerts, new deliveries, content of attempts, locations
// of encrypted values, dispatch by hand, statistics, limits of open deliveries, redelivery, cancellation, jobs,
// retention, and reading the history newest first.

export { type AttemptContent, decryptAttempt, encryptAttempt } from './attempt-content.js';
export { type CancelOutcome, cancelDelivery } from './cancellation-repository.js';
export { allWebhooks, applyStatsChanges } from './delivery-stats-repository.js';
export { type DispatchPlan, dispatchAlerts, planDispatch } from './dispatch-repository.js';
export { makeDue } from './due-deliveries-repository.js';
export {
  countNewestFirst,
  deliveryRangesOf,
  type IdRange,
  narrowToAlert,
  readNewestFirst,
} from './history-reader.js';
export {
  alertRecordId,
  deliveryRecordId,
  type FailureAtWrite,
  failuresAtWrite,
  insertDeliveries,
  isFailureAtWrite,
} from './new-deliveries.js';
export { type NoticeOptions, reportWebhooks } from './notice-job.js';
export { isNoticeRule, type NoticeEvent, noticeRules } from './notices.js';
export type { OpenDeliveriesKey } from './open-deliveries-reader.js';
export {
  createOpenDeliveryCounts,
  type OpenDeliveryCounts,
  type WebhookInWorkspace,
} from './open-delivery-counts.js';
export { type OpenDeliveryLimits, readOpenDeliveryLimits } from './open-delivery-limits.js';
export { decryptPublisher, encryptPublisher, publisherId } from './publisher-id.js';
export { type RedeliverOutcome, redeliver } from './redelivery-repository.js';
export {
  deleteExpired,
  deleteRowsOfDeletedWebhooks,
  dropExpiredDays,
  expiringKinds,
  type Retention,
  removeExpiredAttempts,
} from './retention-repository.js';
export { countForJob, type JobPage, runJobPage } from './run-job-page.js';
export { renderedLocation, signingSecretLocation, webhookLocation } from './secret-locations.js';
