export { asConflict } from './change-read.js';
export { ClientProvider } from './client.js';
export { useLastError } from './last-error.js';
export type { LiveList } from './live-list.js';
export { checkPermission, grantingRoles } from './permissions.js';
export { Permitted, usePermission } from './permitted.js';
export { type TimeRange, timeRangeOf, timeRanges } from './time-range.js';
export {
  useAlertRule,
  useAlertRuleActions,
  useFiredAlert,
  useFireTestAlert,
  usePastAlerts,
} from './use-alert-rule.js';
export { useAlertRules } from './use-alert-rules.js';
export { type AlertFilter, useAlert, useAlerts, useDispatchAlert } from './use-alerts.js';
export { type AuditFilter, useAuditEvents } from './use-audit-events.js';
export { useDeadLetters, useRequeueDeadLetter } from './use-dead-letters.js';
export {
  type DeliveryFilter,
  type DeliveryRow,
  useAnyDelivery,
  useDeliveries,
  useDeliveriesOfAlert,
  useDelivery,
  useDeliveryActions,
} from './use-deliveries.js';
export { useDeliveryStats } from './use-delivery-stats.js';
export { type Job, type JobFilters, type JobKind, useJobActions, useJobs } from './use-jobs.js';
export { useNoticeWebhook, useSettings, useUpdateSettings } from './use-settings.js';
export { useSigningSecretActions, useSigningSecrets } from './use-signing-secrets.js';
export {
  useSendSavedTest,
  useSendTest,
  useWebhook,
  useWebhookActions,
} from './use-webhook.js';
export { useWebhooks } from './use-webhooks.js';
export { useWhoami, useWorkspaces } from './use-workspaces.js';
