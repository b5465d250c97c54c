export {
  type Alert,
  alertAcceptedSchema,
  alertDispatchedSchema,
  alertSchema,
  type PublishAlert,
  publishAlertBatchSchema,
  publishAlertSchema,
  publishedAlertsSchema,
} from './alert.js';
export {
  type AlertFired,
  type AlertState,
  alertFiredKey,
  alertFiredProperties,
  alertFiredSchema,
  alertKey,
  alertPublisherHeader,
  alertStates,
  alertsExchange,
  type Bound,
  createAlertFiredCheck,
  maxAlertBytes,
  requestIdHeader,
} from './alert-fired.js';
export {
  type AlertRule,
  alertRuleSchema,
  type CreateAlertRule,
  createAlertRuleSchema,
  type PatchAlertRule,
  patchAlertRuleSchema,
} from './alert-rule.js';
export { type ApiKeyDeactivated, apiKeyDeactivatedKey, eventsExchange } from './api-key-deactivated.js';
export { type Attempt, attemptSchema, type DestinationResponse } from './attempt.js';
export {
  type AuditAction,
  type AuditEvent,
  auditAction,
  auditActions,
  auditEventSchema,
} from './audit-event.js';
export { type Check, type CheckResult, createCheck } from './check.js';
export { externalId, maxWebhookIds, time, timeOrNull, uuid } from './common-schemas.js';
export { type ConsoleConfig, consoleConfigPath, consoleConfigSchema } from './console-config.js';
export { type DeadLetter, deadLetterSchema } from './dead-letter.js';
export {
  type Delivery,
  type DeliveryWithAttempts,
  deliverySchema,
  deliveryWithAttemptsSchema,
} from './delivery.js';
export {
  type DeliveryDue,
  decodeDeliveriesDue,
  deliveriesExchange,
  deliveryDueKey,
  encodeDeliveriesDue,
  maxDeliveriesInMessage,
} from './delivery-due.js';
export { type DeliveryStats, deliveryStatsSchema, type StatsStep, statsSteps } from './delivery-stats.js';
export {
  type Cancellation,
  type CancellationFilter,
  type CreateCancellation,
  type CreateDispatch,
  type CreateRedelivery,
  cancellationSchema,
  createCancellationSchema,
  createDispatchSchema,
  createRedeliverySchema,
  type Dispatch,
  type DispatchFilter,
  dispatchSchema,
  type JobFilters,
  type JobKind,
  type Redelivery,
  type RedeliveryFilter,
  redeliverySchema,
} from './job.js';
export { likelyCauseOf } from './likely-cause.js';
export { decodePipelineMarker, encodePipelineMarker, pipelineMarkerKey } from './pipeline-marker.js';
export {
  createdSigningSecretSchema,
  createSigningSecretSchema,
  type SigningSecret,
  signingSecretSchema,
} from './signing-secret.js';
export {
  type AlertOutcome,
  alertOutcomes,
  type DeadLetterReason,
  type DeliveryErrorCode,
  type DeliveryStatus,
  deadLetterReasons,
  deliveryStatuses,
  dispatchableOutcomes,
  type EndedStatus,
  endedStatuses,
  errorCodes,
  type HealthState,
  healthStates,
  isEndedStatus,
  maxCountedMatches,
  type NoResponseCode,
  type PauseReason,
  pauseReasons,
  type Suppression,
  suppressions,
  type WaitingReason,
  waitingReasons,
} from './vocabulary.js';
export {
  type CreateWebhook,
  createWebhookSchema,
  type PatchWebhook,
  patchWebhookSchema,
  savedWebhookSchema,
  type Webhook,
  webhookSchema,
} from './webhook.js';
export {
  type Preview,
  previewSchema,
  previewTemplateSchema,
  savedTestResultSchema,
  type TestResult,
  type TestWebhook,
  testResultSchema,
  testSavedWebhookSchema,
  testWebhookSchema,
} from './webhook-test.js';
export { type Workspace, workspaceSchema } from './workspace.js';
export {
  patchWorkspaceSettingsSchema,
  type WorkspaceSettings,
  workspaceSettingsSchema,
} from './workspace-settings.js';
