/** States of a delivery that has ended. All other states are those of an open delivery. */
export const endedStatuses = ['succeeded', 'failed', 'skipped'] as const;
export type EndedStatus = (typeof endedStatuses)[number];

/** States of a delivery. */
export const deliveryStatuses = ['waiting', 'queued', 'sending', ...endedStatuses] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export function isEndedStatus(status: string): status is EndedStatus {
  return (endedStatuses as readonly string[]).includes(status);
}

/**
 * Reasons why a delivery waits:
 * - `retry`: the last attempt failed, and the time of the next attempt is in the future;
 * - `paused`: the webhook is paused;
 * - `backlog`: the delivery is due, and the dispatcher has not queued it yet;
 * - `no_slot`: no slot was free for the request, or no memory for its body;
 * - `crashed`: the last claim ended without an outcome;
 * - `undecryptable`: a worker could not decrypt the data of the delivery, for example because a key is missing;
 * - `render_budget`: the workspace has used its render budget;
 * - `rate_limit`: the webhook has reached its rate limit;
 * - `no_signing_secret`: the webhook has no signing secret.
 */
export const waitingReasons = [
  'retry',
  'paused',
  'backlog',
  'no_slot',
  'crashed',
  'undecryptable',
  'render_budget',
  'rate_limit',
  'no_signing_secret',
] as const;
export type WaitingReason = (typeof waitingReasons)[number];

/** Reasons why a webhook is paused. */
export const pauseReasons = ['circuit', 'retry_after', 'manual'] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** States of a webhook in order of precedence: the first state whose condition is true is reported. */
export const healthStates = ['disabled', 'paused', 'failing', 'healthy', 'unknown'] as const;
export type HealthState = (typeof healthStates)[number];

/** Outcomes of an alert. */
export const alertOutcomes = [
  'dispatched',
  'rule_disabled',
  'rule_deleted',
  'no_webhooks',
  'over_quota',
  'suppressed',
] as const;
export type AlertOutcome = (typeof alertOutcomes)[number];

/**
 * Outcomes after which an alert without deliveries can be dispatched by hand. The outcome `rule_deleted` is missing,
 * because the alerts of a deleted rule cannot be dispatched.
 */
export const dispatchableOutcomes = ['over_quota', 'no_webhooks', 'rule_disabled', 'suppressed'] as const;

/** Maximum number of matches of a job that are counted. A job with more matches still changes all of them. */
export const maxCountedMatches = 100_000;

/** Reasons why an alert is suppressed. */
export const suppressions = ['cooldown', 'silence'] as const;
export type Suppression = (typeof suppressions)[number];

/** Reasons why a request got no valid response. */
const noResponseCodes = [
  'timeout',
  'connect_timeout',
  'connection_refused',
  'connection_reset',
  'dns_failure',
  'tls_failure',
  'blocked_address',
  'invalid_response',
] as const;
export type NoResponseCode = (typeof noResponseCodes)[number];

/** Closed list of reasons why an attempt has failed, or why a delivery has failed or was skipped. */
export const errorCodes = [
  'http_status',
  ...noResponseCodes,
  'template_error',
  'invalid_json',
  'webhook_deleted',
  'webhook_disabled',
  'expired',
  'crashes_worker',
  'internal_error',
  'over_quota',
  'cancelled',
] as const;
export type DeliveryErrorCode = (typeof errorCodes)[number];

/** Closed list of reasons why a message is in the table `dead_letters`. */
export const deadLetterReasons = [
  'malformed_message',
  'invalid_message',
  'unknown_alert_rule',
  'unrouted',
] as const;
export type DeadLetterReason = (typeof deadLetterReasons)[number];
