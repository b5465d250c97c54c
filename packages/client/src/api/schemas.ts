// Types of the OpenAPI documents that the services serve. test/openapi.test.ts compares this file with them.
// Generated file. `REGENERATE=1 npm test -- packages/client/test/openapi` generates it again.

/** One firing of an alert rule. */
export interface Alert {
  alert_id: string;
  workspace_id: string;
  fired_at: string;
  accepted_at: string;
  alert_rule_id: string;
  alert_rule_name: string;
  model_id: string;
  model_name: string;
  metric_value: number;
  threshold: number;
  bound: 'upper_bound' | 'lower_bound';
  state: 'firing' | 'resolved';
  /** Short facts by name, 20 at most; a value has 256 characters at most. */
  labels: Record<string, string>;
  /** Longer texts by name, such as summary and link: 20 at most, with names 4,096 bytes of UTF-8 together. */
  annotations: Record<string, string>;
  /** True if the publisher marked the alert as a test. */
  is_test: boolean;
  outcome: 'dispatched' | 'rule_disabled' | 'rule_deleted' | 'no_webhooks' | 'over_quota' | 'suppressed';
  /** Reason why nothing was delivered, or null. */
  outcome_reason: string | null;
  /** Reason of the outcome suppressed; kept after a dispatch by hand. Null for other alerts. */
  suppressed_by: {
    /** `cooldown`: of the alert rule. `silence`: the rule was silenced. */
    reason: 'cooldown' | 'silence';
    /** The dispatched alert from which the cooldown runs; null for a silence. */
    alert_id: string | null;
  } | null;
  /** Webhooks that the alert would have called: of an alert with the outcome over_quota, and of a disabled rule in the message. */
  webhook_ids: string[] | null;
  /** Time of the dispatch by hand. */
  dispatched_at: string | null;
  /** Caller that dispatched the alert by hand: issuer, #, subject. */
  dispatched_by: string | null;
  /** Number of deliveries of the alert by state. `open`: waiting, queued or sending. */
  summary: {
    succeeded: number;
    failed: number;
    skipped: number;
    open: number;
  };
}

export interface AlertAccepted {
  alert_id: string;
}

export interface AlertDispatched {
  alert_id: string;
  deliveries: Delivery[];
}

export interface AlertRule {
  id: string;
  workspace_id: string;
  name: string;
  /** Id of your choice, of 1 to 255 printable characters. One webhook and one alert rule of a workspace can have it. Null, the default: none. */
  external_id: string | null;
  model_id: string;
  threshold: number;
  bound: 'upper_bound' | 'lower_bound';
  /** A disabled rule delivers nothing. Default: true. */
  enabled: boolean;
  /** Seconds after a dispatched alert in which further alerts that fire are suppressed. Default: 0. Resolved alerts are never suppressed by it. */
  cooldown_seconds: number;
  /** Every alert that is accepted before this time is suppressed. Default: null. */
  silenced_until: string | null;
  /** Webhooks of the same workspace to call when the rule fires. Duplicates are dropped, then at most 20. */
  notification_webhook_ids: string[];
  created_at: string;
  updated_at: string;
  /** Issuer and subject of the last caller who changed it. */
  last_updated_by: string;
}

/** An engine key without its raw form or hash. */
export interface ApiKey {
  id: string;
  description: string;
  is_active: boolean;
  created_at: string;
  created_by: string;
  deactivated_at: string | null;
}

/** One HTTP request of a delivery. */
export interface Attempt {
  number: number;
  trigger: 'scheduled' | 'manual';
  started_at: string;
  duration_ms: number;
  /** Scheme and host that the request was sent to. */
  destination: string;
  /** Request body. Null for callers without the permission webhook_update, because it can hold credentials. */
  request_body: string | null;
  response: {
    status_code: number;
    response: string;
    /** The response was longer than the stored part. */
    truncated: boolean;
    /** Header `Location` of the response, at most 2,048 characters; `[redacted]` replaces secrets of the webhook. Redirects are not followed. */
    location: string | null;
    /** Header `Retry-After`, a number of seconds or a date; at most 128 characters. An invalid value has no effect. */
    retry_after: string | null;
  } | null;
  error: string | null;
  error_code:
    | 'http_status'
    | 'timeout'
    | 'connect_timeout'
    | 'connection_refused'
    | 'connection_reset'
    | 'dns_failure'
    | 'tls_failure'
    | 'blocked_address'
    | 'invalid_response'
    | 'template_error'
    | 'invalid_json'
    | 'webhook_deleted'
    | 'webhook_disabled'
    | 'expired'
    | 'crashes_worker'
    | 'internal_error'
    | 'over_quota'
    | 'cancelled'
    | null;
  /** Usual cause of the status of the response, and its remedy: for 3xx, 400, 401, 403, 404, 415 and 429. */
  likely_cause: string | null;
}

/** A change: its author, its time, and the names of the changed fields. Values are not recorded. */
export interface AuditEvent {
  id: string;
  time: string;
  /** Null for an engine key, and for a dead letter whose message names no workspace. */
  workspace_id: string | null;
  /** Issuer and subject of the caller, or `system` for an automatic change. */
  principal: string;
  /** Name of the caller for people, at the time. */
  principal_name: string;
  action:
    | 'webhook.created'
    | 'webhook.updated'
    | 'webhook.deleted'
    | 'signing_secret.created'
    | 'signing_secret.deleted'
    | 'alert_rule.created'
    | 'alert_rule.updated'
    | 'alert_rule.deleted'
    | 'workspace_settings.updated'
    | 'delivery.redelivered'
    | 'delivery.cancelled'
    | 'alert.dispatched'
    | 'redelivery.created'
    | 'redelivery.cancelled'
    | 'dispatch.created'
    | 'dispatch.cancelled'
    | 'cancellation.created'
    | 'cancellation.cancelled'
    | 'dead_letter.requeued'
    | 'api_key.created'
    | 'api_key.deactivated';
  resource_type:
    | 'webhook'
    | 'alert_rule'
    | 'workspace_settings'
    | 'delivery'
    | 'alert'
    | 'redelivery'
    | 'dispatch'
    | 'cancellation'
    | 'dead_letter'
    | 'api_key';
  /** For a signing secret the id of its webhook, for an alert its alert_id, for settings the id of the workspace. */
  resource_id: string;
  /** Names of the fields that an update has changed. Empty for other actions. */
  changed_fields: string[];
  /** `X-Request-Id` of the request; null for an automatic change. */
  request_id: string | null;
}

/** A job that ends open deliveries. */
export interface Cancellation {
  id: string;
  workspace_id: string;
  /** Number of matches when the job was created, counted up to 100,000. */
  matched: number;
  /** Number of deliveries, or of alerts, that the job has changed so far. */
  done: number;
  status: 'running' | 'done' | 'cancelled';
  created_by: string;
  created_at: string;
  updated_at: string;
  filter: {
    webhook_id?: string | undefined;
    alert_id?: string | undefined;
    alert_rule_id?: string | undefined;
    /** Alerts accepted at this time or later, and their deliveries. */
    since?: string | undefined;
    /** Alerts accepted before this time, and before the request in any case, and their deliveries. */
    until: string;
  };
}

export interface CreateAlertRule {
  name: string;
  /** Id of your choice, of 1 to 255 printable characters. One webhook and one alert rule of a workspace can have it. Null, the default: none. */
  external_id?: string | null | undefined;
  model_id: string;
  threshold: number;
  bound: 'upper_bound' | 'lower_bound';
  /** A disabled rule delivers nothing. Default: true. */
  enabled?: boolean | undefined;
  /** Seconds after a dispatched alert in which further alerts that fire are suppressed. Default: 0. Resolved alerts are never suppressed by it. */
  cooldown_seconds?: number | undefined;
  /** Every alert that is accepted before this time is suppressed. Default: null. */
  silenced_until?: string | null | undefined;
  /** Webhooks of the same workspace to call when the rule fires. Duplicates are dropped, then at most 20. */
  notification_webhook_ids?: string[] | undefined;
}

export interface CreateApiKey {
  description: string;
}

/** At least one filter, or `all: true`. */
export interface CreateCancellation {
  webhook_id?: string | undefined;
  alert_id?: string | undefined;
  alert_rule_id?: string | undefined;
  /** Alerts accepted at this time or later, and their deliveries. */
  since?: string | undefined;
  /** Alerts accepted before this time, and before the request in any case, and their deliveries. */
  until?: string | undefined;
  /** True: no other filter is required, and the job applies to the whole workspace. */
  all?: boolean | undefined;
}

/** At least one filter, or `all: true`. */
export interface CreateDispatch {
  /** Default: all of these. */
  outcome?: 'over_quota' | 'no_webhooks' | 'rule_disabled' | 'suppressed' | undefined;
  alert_rule_id?: string | undefined;
  /** Alerts accepted at this time or later, and their deliveries. */
  since?: string | undefined;
  /** Alerts accepted before this time, and before the request in any case, and their deliveries. */
  until?: string | undefined;
  /** True: no other filter is required, and the job applies to the whole workspace. */
  all?: boolean | undefined;
}

/** At least one filter besides `status`, or `all: true`. */
export interface CreateRedelivery {
  /** Default: failed. */
  status?: 'failed' | 'skipped' | 'succeeded' | undefined;
  webhook_id?: string | undefined;
  alert_id?: string | undefined;
  alert_rule_id?: string | undefined;
  status_code?: number | undefined;
  /** Alerts accepted at this time or later, and their deliveries. */
  since?: string | undefined;
  /** Alerts accepted before this time, and before the request in any case, and their deliveries. */
  until?: string | undefined;
  /** True: no other filter is required, and the job applies to the whole workspace. */
  all?: boolean | undefined;
}

export interface CreateSigningSecret {
  /** The other secrets of the webhook stop signing after this time. Unless given, they go on until they are deleted. */
  expire_others_after_seconds?: number | undefined;
}

export interface CreateWebhook {
  /** Label for people. */
  name: string;
  /** Id of your choice, of 1 to 255 printable characters. One webhook and one alert rule of a workspace can have it. Null, the default: none. */
  external_id?: string | null | undefined;
  /** Absolute http or https URL that receives the POST. */
  url: string;
  /** Header name to values, sent exactly as given, one line for each value. `[]` sends nothing. */
  headers?: Record<string, string[]> | undefined;
  /** Jinja2 template, 64 KiB at most. It must render to JSON. */
  body: string;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** Retry deliveries that timed out. Default: true. */
  retry_on_timeout?: boolean | undefined;
  /** Delays before the second attempt, the third and so on, in milliseconds, each with 20 % jitter; below 24 hours together. `[]`: no retry. Null, the default: the schedule of the deployment. */
  retry_schedule_ms?: number[] | null | undefined;
  /** Time limit of a request, from connecting to the end of the response, in milliseconds. Null, the default: 10 s. Connecting takes 5 s at most. */
  timeout_ms?: number | null | undefined;
  /** Largest number of requests in a period. Further deliveries wait, due retries first. Retries and redeliveries count, tests do not. Null, the default: none. */
  rate_limit?:
    | {
        requests: number;
        period_ms: number;
      }
    | null
    | undefined;
  /** Sign each request as Standard Webhooks says (webhook-id, webhook-timestamp, webhook-signature), with every signing secret that has not expired. Without a secret the deliveries wait. Default: false. */
  signing?: boolean | undefined;
  /** Name of a header that carries the id of the delivery, the same in all its attempts and redeliveries. Null, the default: none. */
  idempotency_header?: string | null | undefined;
  /** Deliveries wait until this time, 7 days ahead at most, and do not expire meanwhile. Null, the default, ends the pause. */
  paused_until?: string | null | undefined;
}

/** A new engine key with its raw form, which is shown only here. */
export interface CreatedApiKey {
  id: string;
  /** The raw key: base64 of {id}:{key}. */
  key: string;
  description: string;
  is_active: true;
  created_at: string;
  message: string;
}

export interface CreatedSigningSecret {
  id: string;
  created_at: string;
  /** Null: the secret does not expire. */
  expires_at: string | null;
  /** `whsec_` and base64 of 32 bytes. Shown only here. */
  secret: string;
}

/** A message that could not be processed. */
export interface DeadLetter {
  id: string;
  /** Workspace that the message names; null if it names none, or cannot be read. */
  workspace_id: string | null;
  reason: 'malformed_message' | 'invalid_message' | 'unknown_alert_rule' | 'unrouted';
  detail: string;
  queue: string;
  routing_key: string;
  /** The message as JSON value, text, or base64; `encoding` names the form. */
  message: unknown;
  encoding: 'json' | 'utf-8' | 'base64';
  /** Size of the whole message. Only the beginning of a message above 1 MiB is stored. */
  size_bytes: number;
  /** Only the beginning of the message is shown. */
  truncated: boolean;
  created_at: string;
  requeued_at: string | null;
}

export interface DeleteWebhookQuery {
  /** Detach the webhook from its alert rules. */
  force?: boolean | undefined;
}

/** One alert for one webhook. */
export interface Delivery {
  id: string;
  workspace_id: string;
  alert_id: string;
  alert_rule_id: string;
  webhook_id: string;
  webhook_name: string;
  /** Scheme and host of the last attempt; before the first one, of the webhook when the alert came. */
  destination: string;
  status: 'waiting' | 'queued' | 'sending' | 'succeeded' | 'failed' | 'skipped';
  attempts_made: number;
  /** Set while the delivery is waiting. */
  next_attempt_at: string | null;
  /** Reason why the delivery waits; null unless it is waiting. `retry`: for the time of its next attempt. `paused`: the webhook is paused. `backlog`: it is due, and other deliveries are before it. `no_slot`: no worker has a free slot for the webhook. `crashed`: a worker ended before the outcome was recorded. `undecryptable`: the worker has no key for the webhook. `render_budget`: the workspace has used its time for rendering. `rate_limit`: for the rate limit of the webhook. `no_signing_secret`: the webhook signs and has no secret. */
  waiting_reason:
    | 'retry'
    | 'paused'
    | 'backlog'
    | 'no_slot'
    | 'crashed'
    | 'undecryptable'
    | 'render_budget'
    | 'rate_limit'
    | 'no_signing_secret'
    | null;
  first_succeeded_at: string | null;
  /** True once attempts were removed because of their age (`RETENTION_ATTEMPTS_DAYS`, 14 by default); `attempts_made` still counts them. */
  attempts_expired: boolean;
  created_at: string;
  /** Response to the last attempt. */
  response: {
    status_code: number;
    response: string;
    /** The response was longer than the stored part. */
    truncated: boolean;
    /** Header `Location` of the response, at most 2,048 characters; `[redacted]` replaces secrets of the webhook. Redirects are not followed. */
    location: string | null;
    /** Header `Retry-After`, a number of seconds or a date; at most 128 characters. An invalid value has no effect. */
    retry_after: string | null;
  } | null;
  error: string | null;
  error_code:
    | 'http_status'
    | 'timeout'
    | 'connect_timeout'
    | 'connection_refused'
    | 'connection_reset'
    | 'dns_failure'
    | 'tls_failure'
    | 'blocked_address'
    | 'invalid_response'
    | 'template_error'
    | 'invalid_json'
    | 'webhook_deleted'
    | 'webhook_disabled'
    | 'expired'
    | 'crashes_worker'
    | 'internal_error'
    | 'over_quota'
    | 'cancelled'
    | null;
  /** Usual cause of the status of the response, and its remedy: for 3xx, 400, 401, 403, 404, 415 and 429. */
  likely_cause: string | null;
  /** Rendered text that was not sent because it is not JSON (`invalid_json`). Null for callers without the permission webhook_update. */
  rendered: string | null;
}

/** Counts of deliveries by time step. */
export interface DeliveryStats {
  /** Every step of the time range, in the order of time; with `group_by=webhook`, every step of each webhook that has a delivery in the range. A delivery counts in the step of `accepted_at` of its alert, under its present status. */
  steps: DeliveryStatsStep[];
  /** `accepted_at` of the oldest alert with an open delivery, whatever the time range; of the webhook, if `webhook_id` is given. Null if no delivery is open. */
  oldest_open_at: string | null;
}

export interface DeliveryStatsStep {
  /** Start of the step, aligned to UTC. */
  from: string;
  /** End of the step, which the next step starts with. */
  to: string;
  /** Present with `group_by=webhook`. */
  webhook_id?: string | undefined;
  succeeded: number;
  failed: number;
  skipped: number;
  /** Deliveries that are waiting, queued or sending. */
  open: number;
  /** HTTP requests of the deliveries of the step. */
  attempts: number;
  /** Time from the acceptance of the alert to the successful response, in milliseconds, accurate to 5 %. Null if no delivery of the step has succeeded. */
  p50_ms: number | null;
  /** Time from the acceptance of the alert to the successful response, in milliseconds, accurate to 5 %. Null if no delivery of the step has succeeded. */
  p95_ms: number | null;
}

export interface DeliveryWithAttempts {
  id: string;
  workspace_id: string;
  alert_id: string;
  alert_rule_id: string;
  webhook_id: string;
  webhook_name: string;
  /** Scheme and host of the last attempt; before the first one, of the webhook when the alert came. */
  destination: string;
  status: 'waiting' | 'queued' | 'sending' | 'succeeded' | 'failed' | 'skipped';
  attempts_made: number;
  /** Set while the delivery is waiting. */
  next_attempt_at: string | null;
  /** Reason why the delivery waits; null unless it is waiting. `retry`: for the time of its next attempt. `paused`: the webhook is paused. `backlog`: it is due, and other deliveries are before it. `no_slot`: no worker has a free slot for the webhook. `crashed`: a worker ended before the outcome was recorded. `undecryptable`: the worker has no key for the webhook. `render_budget`: the workspace has used its time for rendering. `rate_limit`: for the rate limit of the webhook. `no_signing_secret`: the webhook signs and has no secret. */
  waiting_reason:
    | 'retry'
    | 'paused'
    | 'backlog'
    | 'no_slot'
    | 'crashed'
    | 'undecryptable'
    | 'render_budget'
    | 'rate_limit'
    | 'no_signing_secret'
    | null;
  first_succeeded_at: string | null;
  /** True once attempts were removed because of their age (`RETENTION_ATTEMPTS_DAYS`, 14 by default); `attempts_made` still counts them. */
  attempts_expired: boolean;
  created_at: string;
  /** Response to the last attempt. */
  response: {
    status_code: number;
    response: string;
    /** The response was longer than the stored part. */
    truncated: boolean;
    /** Header `Location` of the response, at most 2,048 characters; `[redacted]` replaces secrets of the webhook. Redirects are not followed. */
    location: string | null;
    /** Header `Retry-After`, a number of seconds or a date; at most 128 characters. An invalid value has no effect. */
    retry_after: string | null;
  } | null;
  error: string | null;
  error_code:
    | 'http_status'
    | 'timeout'
    | 'connect_timeout'
    | 'connection_refused'
    | 'connection_reset'
    | 'dns_failure'
    | 'tls_failure'
    | 'blocked_address'
    | 'invalid_response'
    | 'template_error'
    | 'invalid_json'
    | 'webhook_deleted'
    | 'webhook_disabled'
    | 'expired'
    | 'crashes_worker'
    | 'internal_error'
    | 'over_quota'
    | 'cancelled'
    | null;
  /** Usual cause of the status of the response, and its remedy: for 3xx, 400, 401, 403, 404, 415 and 429. */
  likely_cause: string | null;
  /** Rendered text that was not sent because it is not JSON (`invalid_json`). Null for callers without the permission webhook_update. */
  rendered: string | null;
  /** Ordered by number. The latest 100, or fewer if they exceed 4 MiB. */
  attempts: Attempt[];
}

/** A job that dispatches alerts that have no deliveries, to the webhooks that their rules have now. */
export interface Dispatch {
  id: string;
  workspace_id: string;
  /** Number of matches when the job was created, counted up to 100,000. */
  matched: number;
  /** Number of deliveries, or of alerts, that the job has changed so far. */
  done: number;
  status: 'running' | 'done' | 'cancelled';
  created_by: string;
  created_at: string;
  updated_at: string;
  filter: {
    /** Default: all of these. */
    outcome?: 'over_quota' | 'no_webhooks' | 'rule_disabled' | 'suppressed' | undefined;
    alert_rule_id?: string | undefined;
    /** Alerts accepted at this time or later, and their deliveries. */
    since?: string | undefined;
    /** Alerts accepted before this time, and before the request in any case, and their deliveries. */
    until: string;
  };
}

export interface GetDeliveryStatsQuery {
  /** Start of the time range. 24 hours before `until` unless given. */
  since?: string | undefined;
  /** End of the time range. Now unless given. */
  until?: string | undefined;
  /** `hour` unless given. */
  step?: 'minute' | 'hour' | 'day' | undefined;
  /** Counts the deliveries of this webhook only. */
  webhook_id?: string | undefined;
  /** Counts each webhook by itself. */
  group_by?: 'webhook' | undefined;
}

export interface ListAlertRulesQuery {
  external_id?: string | undefined;
  /** A webhook that the rules call. */
  webhook_id?: string | undefined;
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListAlertsQuery {
  alert_rule_id?: string | undefined;
  outcome?:
    | 'dispatched'
    | 'rule_disabled'
    | 'rule_deleted'
    | 'no_webhooks'
    | 'over_quota'
    | 'suppressed'
    | undefined;
  /** Model of the alert. Needs `since`. */
  model_id?: string | undefined;
  /** Label of the alert as `name:value`. Given again, the alert has all of them. Needs `since`. */
  label?: string[] | undefined;
  /** Entries accepted at this time or later. */
  since?: string | undefined;
  /** Entries accepted before this time. */
  until?: string | undefined;
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListAllAuditEventsQuery {
  resource_id?: string | undefined;
  /** Issuer and subject as events show them, or `system`. */
  principal?: string | undefined;
  action?:
    | 'webhook.created'
    | 'webhook.updated'
    | 'webhook.deleted'
    | 'signing_secret.created'
    | 'signing_secret.deleted'
    | 'alert_rule.created'
    | 'alert_rule.updated'
    | 'alert_rule.deleted'
    | 'workspace_settings.updated'
    | 'delivery.redelivered'
    | 'delivery.cancelled'
    | 'alert.dispatched'
    | 'redelivery.created'
    | 'redelivery.cancelled'
    | 'dispatch.created'
    | 'dispatch.cancelled'
    | 'cancellation.created'
    | 'cancellation.cancelled'
    | 'dead_letter.requeued'
    | 'api_key.created'
    | 'api_key.deactivated'
    | undefined;
  /** Entries accepted at this time or later. */
  since?: string | undefined;
  /** Entries accepted before this time. */
  until?: string | undefined;
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListAuditEventsQuery {
  resource_id?: string | undefined;
  /** Issuer and subject as events show them, or `system`. */
  principal?: string | undefined;
  action?:
    | 'webhook.created'
    | 'webhook.updated'
    | 'webhook.deleted'
    | 'signing_secret.created'
    | 'signing_secret.deleted'
    | 'alert_rule.created'
    | 'alert_rule.updated'
    | 'alert_rule.deleted'
    | 'workspace_settings.updated'
    | 'delivery.redelivered'
    | 'delivery.cancelled'
    | 'alert.dispatched'
    | 'redelivery.created'
    | 'redelivery.cancelled'
    | 'dispatch.created'
    | 'dispatch.cancelled'
    | 'cancellation.created'
    | 'cancellation.cancelled'
    | 'dead_letter.requeued'
    | 'api_key.created'
    | 'api_key.deactivated'
    | undefined;
  /** Entries accepted at this time or later. */
  since?: string | undefined;
  /** Entries accepted before this time. */
  until?: string | undefined;
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListCancellationsQuery {
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListDeadLettersQuery {
  /** `true`: only requeued dead letters; `false`: only the others. */
  requeued?: boolean | undefined;
  /** Entries accepted at this time or later. */
  since?: string | undefined;
  /** Entries accepted before this time. */
  until?: string | undefined;
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListDeliveriesQuery {
  webhook_id?: string | undefined;
  alert_id?: string | undefined;
  alert_rule_id?: string | undefined;
  status?: 'waiting' | 'queued' | 'sending' | 'succeeded' | 'failed' | 'skipped' | undefined;
  /** Status code of the response to the last attempt. */
  status_code?: number | undefined;
  /** Error code of the delivery. Needs `since`. */
  error_code?:
    | 'http_status'
    | 'timeout'
    | 'connect_timeout'
    | 'connection_refused'
    | 'connection_reset'
    | 'dns_failure'
    | 'tls_failure'
    | 'blocked_address'
    | 'invalid_response'
    | 'template_error'
    | 'invalid_json'
    | 'webhook_deleted'
    | 'webhook_disabled'
    | 'expired'
    | 'crashes_worker'
    | 'internal_error'
    | 'over_quota'
    | 'cancelled'
    | undefined;
  /** Model of the alert. Needs `since`. */
  model_id?: string | undefined;
  /** Label of the alert as `name:value`. Given again, the alert has all of them. Needs `since`. */
  label?: string[] | undefined;
  /** Entries accepted at this time or later. */
  since?: string | undefined;
  /** Entries accepted before this time. */
  until?: string | undefined;
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListDispatchesQuery {
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListRedeliveriesQuery {
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListWebhooksQuery {
  /** Part of the name, in any case. */
  name?: string | undefined;
  external_id?: string | undefined;
  /** Host of the url, in any case: with every port, or as `host:port` with one port. */
  host?: string | undefined;
  /** `created_at` unless given. */
  sort?: 'name' | 'created_at' | 'updated_at' | undefined;
  /** `asc` unless given. */
  order?: 'asc' | 'desc' | undefined;
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListWorkspaceDeadLettersQuery {
  /** `true`: only requeued dead letters; `false`: only the others. */
  requeued?: boolean | undefined;
  /** Entries accepted at this time or later. */
  since?: string | undefined;
  /** Entries accepted before this time. */
  until?: string | undefined;
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

export interface ListWorkspacesQuery {
  /** Largest number of entries of a page. */
  limit?: number | undefined;
  /** Count all entries of the list, with its filters, in the header `X-Total-Count`. */
  count?: boolean | undefined;
}

/** Any subset of the writable fields. notification_webhook_ids is replaced as a whole. */
export interface PatchAlertRule {
  name?: string | undefined;
  /** Id of your choice, of 1 to 255 printable characters. One webhook and one alert rule of a workspace can have it. Null, the default: none. */
  external_id?: string | null | undefined;
  model_id?: string | undefined;
  threshold?: number | undefined;
  bound?: 'upper_bound' | 'lower_bound' | undefined;
  /** A disabled rule delivers nothing. Default: true. */
  enabled?: boolean | undefined;
  /** Seconds after a dispatched alert in which further alerts that fire are suppressed. Default: 0. Resolved alerts are never suppressed by it. */
  cooldown_seconds?: number | undefined;
  /** Every alert that is accepted before this time is suppressed. Default: null. */
  silenced_until?: string | null | undefined;
  /** Webhooks of the same workspace to call when the rule fires. Duplicates are dropped, then at most 20. */
  notification_webhook_ids?: string[] | undefined;
}

/** Any subset of the writable fields. Headers are replaced as a whole. */
export interface PatchWebhook {
  /** Label for people. */
  name?: string | undefined;
  /** Id of your choice, of 1 to 255 printable characters. One webhook and one alert rule of a workspace can have it. Null, the default: none. */
  external_id?: string | null | undefined;
  /** Absolute http or https URL that receives the POST. */
  url?: string | undefined;
  /** Header name to values, sent exactly as given, one line for each value. `[]` sends nothing. */
  headers?: Record<string, string[]> | undefined;
  /** Jinja2 template, 64 KiB at most. It must render to JSON. */
  body?: string | undefined;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** Retry deliveries that timed out. Default: true. */
  retry_on_timeout?: boolean | undefined;
  /** Delays before the second attempt, the third and so on, in milliseconds, each with 20 % jitter; below 24 hours together. `[]`: no retry. Null, the default: the schedule of the deployment. */
  retry_schedule_ms?: number[] | null | undefined;
  /** Time limit of a request, from connecting to the end of the response, in milliseconds. Null, the default: 10 s. Connecting takes 5 s at most. */
  timeout_ms?: number | null | undefined;
  /** Largest number of requests in a period. Further deliveries wait, due retries first. Retries and redeliveries count, tests do not. Null, the default: none. */
  rate_limit?:
    | {
        requests: number;
        period_ms: number;
      }
    | null
    | undefined;
  /** Sign each request as Standard Webhooks says (webhook-id, webhook-timestamp, webhook-signature), with every signing secret that has not expired. Without a secret the deliveries wait. Default: false. */
  signing?: boolean | undefined;
  /** Name of a header that carries the id of the delivery, the same in all its attempts and redeliveries. Null, the default: none. */
  idempotency_header?: string | null | undefined;
  /** Deliveries wait until this time, 7 days ahead at most, and do not expire meanwhile. Null, the default, ends the pause. */
  paused_until?: string | null | undefined;
}

/** Any subset of the fields. notice_webhook_ids is replaced as a whole. */
export interface PatchWorkspaceSettings {
  /** Label of the workspace for people. Default: null. */
  name?: string | null | undefined;
  /** Webhooks of the workspace that are called when a webhook fails for a while, recovers or is disabled, and for dead letters. Duplicates are dropped, then at most 20. Default: none. */
  notice_webhook_ids?: string[] | undefined;
}

export interface Preview {
  /** Null if the template does not render. */
  rendered: string | null;
  /** `code: sentence`, or null. */
  error: string | null;
  warnings: string[];
}

export interface PreviewTemplate {
  /** A template, 64 KiB at most. */
  body: string;
  /** Template variables. They override the values of the sample alert, or of the alert that `alert_id` names. */
  context?: Record<string, unknown> | undefined;
}

/** A problem document (RFC 9457). */
export interface Problem {
  type: 'about:blank';
  title: string;
  status: number;
  code:
    | 'malformed_json'
    | 'invalid_request'
    | 'unauthenticated'
    | 'forbidden'
    | 'not_found'
    | 'alert_not_processed'
    | 'method_not_allowed'
    | 'request_timeout'
    | 'conflict'
    | 'undecryptable'
    | 'precondition_failed'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'validation_failed'
    | 'too_many_requests'
    | 'headers_too_large'
    | 'internal_error'
    | 'unavailable';
  detail: string;
  /** The validation errors, with code validation_failed. */
  errors?:
    | {
        /** A JSON pointer into the body, or the name of a parameter. */
        path: string;
        message: string;
      }[]
    | undefined;
  request_id: string;
}

export interface PublishAlert {
  /** The kind of the message. */
  type?: 'alert.fired' | undefined;
  /** The version of the message. */
  version?: 1 | undefined;
  /** Id of this firing. A repeated id is the same alert: the first one wins. */
  alert_id?: string | undefined;
  /** Workspace of the rule. */
  workspace_id?: string | undefined;
  /** Time of the firing, ISO 8601 with a zone. */
  fired_at?: string | undefined;
  /** The rule that fired. */
  alert_rule_id: string;
  /** The monitored model. */
  model_id: string;
  /** Display name of the model. */
  model_name: string;
  /** The observed value. */
  metric_value: number;
  /** Threshold when the alert fired. Default: the present threshold of the rule. */
  threshold?: number | undefined;
  /** Bound when the alert fired. Default: the present bound of the rule. */
  bound?: 'upper_bound' | 'lower_bound' | undefined;
  /** State for the templates; an alert of either state is delivered. Default: firing. */
  state?: 'firing' | 'resolved' | undefined;
  /** Short facts by name, 20 at most; a value has 256 characters at most. */
  labels?: Record<string, string> | undefined;
  /** Longer texts by name, such as summary and link: 20 at most, with names 4,096 bytes of UTF-8 together. */
  annotations?: Record<string, string> | undefined;
  /** True: somebody tries the rule. The alert is delivered like any other. Default: false. */
  is_test?: boolean | undefined;
  /** Rule of a monitor that keeps its own rules. Ignored if a rule with this id was ever registered. */
  alert_rule?:
    | {
        name: string;
        enabled: boolean;
        threshold: number;
        bound: 'upper_bound' | 'lower_bound';
        notification_webhook_ids: string[];
      }
    | undefined;
}

/** Each alert is checked and published by itself. */
export type PublishAlertBatch = PublishAlert[];

export interface PublishedAlert {
  alert_id: string;
  status: 202;
}

/** One entry for each alert, in the order of the request. */
export type PublishedAlerts = (PublishedAlert | Problem)[];

/** A job that sends ended deliveries again. */
export interface Redelivery {
  id: string;
  workspace_id: string;
  /** Number of matches when the job was created, counted up to 100,000. */
  matched: number;
  /** Number of deliveries, or of alerts, that the job has changed so far. */
  done: number;
  status: 'running' | 'done' | 'cancelled';
  created_by: string;
  created_at: string;
  updated_at: string;
  filter: {
    /** Default: failed. */
    status: 'failed' | 'skipped' | 'succeeded';
    webhook_id?: string | undefined;
    alert_id?: string | undefined;
    alert_rule_id?: string | undefined;
    status_code?: number | undefined;
    /** Alerts accepted at this time or later, and their deliveries. */
    since?: string | undefined;
    /** Alerts accepted before this time, and before the request in any case, and their deliveries. */
    until: string;
  };
}

export interface SavedTestResult {
  /** `code: sentence`; null after any HTTP response, whatever its status. */
  error: string | null;
  response: {
    status_code: number;
    /** Response body as text, 64 KiB at most. */
    response: string;
  } | null;
  /** A response arrived, and its status is 299 or less. */
  success: boolean;
  duration_ms: number;
  /** Usual cause of the status of the response, and its remedy: for 3xx, 400, 401, 403, 404, 415 and 429. */
  likely_cause: string | null;
  /** Rendered body. It was not sent if `error` says that it is not JSON. */
  rendered: string | null;
}

export interface SavedWebhook {
  id: string;
  workspace_id: string;
  /** Label for people. */
  name: string;
  /** Id of your choice, of 1 to 255 printable characters. One webhook and one alert rule of a workspace can have it. Null, the default: none. */
  external_id: string | null;
  /** Absolute http or https URL that receives the POST. */
  url: string;
  /** Header name to values, sent exactly as given, one line for each value. `[]` sends nothing. */
  headers: Record<string, string[]>;
  /** Jinja2 template, 64 KiB at most. It must render to JSON. */
  body: string;
  /** Default: true. */
  enabled: boolean;
  /** Retry deliveries that timed out. Default: true. */
  retry_on_timeout: boolean;
  /** Delays before the second attempt, the third and so on, in milliseconds, each with 20 % jitter; below 24 hours together. `[]`: no retry. Null, the default: the schedule of the deployment. */
  retry_schedule_ms: number[] | null;
  /** Time limit of a request, from connecting to the end of the response, in milliseconds. Null, the default: 10 s. Connecting takes 5 s at most. */
  timeout_ms: number | null;
  /** Largest number of requests in a period. Further deliveries wait, due retries first. Retries and redeliveries count, tests do not. Null, the default: none. */
  rate_limit: {
    requests: number;
    period_ms: number;
  } | null;
  /** Sign each request as Standard Webhooks says (webhook-id, webhook-timestamp, webhook-signature), with every signing secret that has not expired. Without a secret the deliveries wait. Default: false. */
  signing: boolean;
  /** Name of a header that carries the id of the delivery, the same in all its attempts and redeliveries. Null, the default: none. */
  idempotency_header: string | null;
  /** Deliveries wait until this time, 7 days ahead at most, and do not expire meanwhile. Null, the default, ends the pause. */
  paused_until: string | null;
  /** Reason of an automatic disabling. Null unless the webhook was disabled by the system. */
  disabled_reason: string | null;
  /** Pause of the webhook: deliveries wait. Null while they are sent, also while single requests probe the destination after a pause. */
  paused: {
    /** `circuit`: several deliveries in a row failed. `retry_after`: the destination asked for it with 429 or 503 and `Retry-After`. `manual`: a user asked for it. */
    reason: 'circuit' | 'retry_after' | 'manual';
    since: string;
    /** The next request is sent at this time at the earliest. */
    until: string;
    /** The failure that caused the pause. */
    error: string | null;
  } | null;
  /** How the deliveries of the webhook fare. Tests do not count. */
  health: {
    /** The first that holds. `disabled`: the webhook is switched off. `paused`: see `paused`. `failing`: the last attempt failed, or its body could not be rendered. `healthy`: the last attempt succeeded. `unknown`: there was no attempt within 24 hours. */
    state: 'disabled' | 'paused' | 'failing' | 'healthy' | 'unknown';
    /** Start of the state; for `failing`, the first failure after the last success. Null for `unknown`. */
    since: string | null;
    /** The last failure, also one before the last success. */
    last_error: {
      code:
        | 'http_status'
        | 'timeout'
        | 'connect_timeout'
        | 'connection_refused'
        | 'connection_reset'
        | 'dns_failure'
        | 'tls_failure'
        | 'blocked_address'
        | 'invalid_response'
        | 'template_error'
        | 'invalid_json'
        | 'webhook_deleted'
        | 'webhook_disabled'
        | 'expired'
        | 'crashes_worker'
        | 'internal_error'
        | 'over_quota'
        | 'cancelled';
      error: string;
      at: string;
    } | null;
    /** Part of the deliveries of the last 24 hours that succeeded, of those that succeeded or failed. The 24 hours begin with a full hour. Null if none has ended. */
    success_rate_24h: number | null;
  };
  created_at: string;
  updated_at: string;
  /** Issuer and subject of the last caller who changed it. */
  last_updated_by: string;
  /** Accepted values that are probably mistakes, in the fields of this request. */
  warnings: string[];
}

/** A secret that signs the requests of a webhook. The secret itself is shown only when it is created. */
export interface SigningSecret {
  id: string;
  created_at: string;
  /** Null: the secret does not expire. */
  expires_at: string | null;
}

export interface TestResult {
  /** `code: sentence`; null after any HTTP response, whatever its status. */
  error: string | null;
  response: {
    status_code: number;
    /** Response body as text, 64 KiB at most. */
    response: string;
  } | null;
  /** A response arrived, and its status is 299 or less. */
  success: boolean;
  duration_ms: number;
  /** Usual cause of the status of the response, and its remedy: for 3xx, 400, 401, 403, 404, 415 and 429. */
  likely_cause: string | null;
}

export interface TestSavedWebhook {
  /** Id of a past alert of the workspace; the template gets its facts in place of the sample values. */
  alert_id?: string | undefined;
  /** Template variables. They override the values of the sample alert, or of the alert that `alert_id` names. */
  context?: Record<string, unknown> | undefined;
}

export interface TestWebhook {
  /** Absolute http or https URL that receives the POST. */
  url: string;
  /** Header name to values, sent exactly as given, one line for each value. `[]` sends nothing. */
  headers?: Record<string, string[]> | undefined;
  /** Sent unchanged; 64 KiB at most. */
  body: string;
}

/** Callers without `webhook_update` see the scheme and host of the url and the names of the headers; the rest of the url, the header values and the body read `[hidden]`. */
export interface Webhook {
  id: string;
  workspace_id: string;
  /** Label for people. */
  name: string;
  /** Id of your choice, of 1 to 255 printable characters. One webhook and one alert rule of a workspace can have it. Null, the default: none. */
  external_id: string | null;
  /** Absolute http or https URL that receives the POST. */
  url: string;
  /** Header name to values, sent exactly as given, one line for each value. `[]` sends nothing. */
  headers: Record<string, string[]>;
  /** Jinja2 template, 64 KiB at most. It must render to JSON. */
  body: string;
  /** Default: true. */
  enabled: boolean;
  /** Retry deliveries that timed out. Default: true. */
  retry_on_timeout: boolean;
  /** Delays before the second attempt, the third and so on, in milliseconds, each with 20 % jitter; below 24 hours together. `[]`: no retry. Null, the default: the schedule of the deployment. */
  retry_schedule_ms: number[] | null;
  /** Time limit of a request, from connecting to the end of the response, in milliseconds. Null, the default: 10 s. Connecting takes 5 s at most. */
  timeout_ms: number | null;
  /** Largest number of requests in a period. Further deliveries wait, due retries first. Retries and redeliveries count, tests do not. Null, the default: none. */
  rate_limit: {
    requests: number;
    period_ms: number;
  } | null;
  /** Sign each request as Standard Webhooks says (webhook-id, webhook-timestamp, webhook-signature), with every signing secret that has not expired. Without a secret the deliveries wait. Default: false. */
  signing: boolean;
  /** Name of a header that carries the id of the delivery, the same in all its attempts and redeliveries. Null, the default: none. */
  idempotency_header: string | null;
  /** Deliveries wait until this time, 7 days ahead at most, and do not expire meanwhile. Null, the default, ends the pause. */
  paused_until: string | null;
  /** Reason of an automatic disabling. Null unless the webhook was disabled by the system. */
  disabled_reason: string | null;
  /** Pause of the webhook: deliveries wait. Null while they are sent, also while single requests probe the destination after a pause. */
  paused: {
    /** `circuit`: several deliveries in a row failed. `retry_after`: the destination asked for it with 429 or 503 and `Retry-After`. `manual`: a user asked for it. */
    reason: 'circuit' | 'retry_after' | 'manual';
    since: string;
    /** The next request is sent at this time at the earliest. */
    until: string;
    /** The failure that caused the pause. */
    error: string | null;
  } | null;
  /** How the deliveries of the webhook fare. Tests do not count. */
  health: {
    /** The first that holds. `disabled`: the webhook is switched off. `paused`: see `paused`. `failing`: the last attempt failed, or its body could not be rendered. `healthy`: the last attempt succeeded. `unknown`: there was no attempt within 24 hours. */
    state: 'disabled' | 'paused' | 'failing' | 'healthy' | 'unknown';
    /** Start of the state; for `failing`, the first failure after the last success. Null for `unknown`. */
    since: string | null;
    /** The last failure, also one before the last success. */
    last_error: {
      code:
        | 'http_status'
        | 'timeout'
        | 'connect_timeout'
        | 'connection_refused'
        | 'connection_reset'
        | 'dns_failure'
        | 'tls_failure'
        | 'blocked_address'
        | 'invalid_response'
        | 'template_error'
        | 'invalid_json'
        | 'webhook_deleted'
        | 'webhook_disabled'
        | 'expired'
        | 'crashes_worker'
        | 'internal_error'
        | 'over_quota'
        | 'cancelled';
      error: string;
      at: string;
    } | null;
    /** Part of the deliveries of the last 24 hours that succeeded, of those that succeeded or failed. The 24 hours begin with a full hour. Null if none has ended. */
    success_rate_24h: number | null;
  };
  created_at: string;
  updated_at: string;
  /** Issuer and subject of the last caller who changed it. */
  last_updated_by: string;
  /** True in a list if url, headers and body cannot be decrypted: the url is then its scheme and host, and header values and body are empty. Missing otherwise. */
  undecryptable?: boolean | undefined;
}

/** The caller, and its roles by workspace. */
export interface Whoami {
  issuer: string;
  subject: string;
  display: string;
  /** Workspace id → roles. */
  workspaces: Record<string, string[]>;
  deployment_roles: string[];
}

/** A workspace that the caller can see. Another system owns the workspaces. */
export interface Workspace {
  id: string;
  /** Null if the workspace has no name here. */
  name: string | null;
}

export interface WorkspaceSettings {
  /** Label of the workspace for people. Default: null. */
  name: string | null;
  /** Webhooks of the workspace that are called when a webhook fails for a while, recovers or is disabled, and for dead letters. Duplicates are dropped, then at most 20. Default: none. */
  notice_webhook_ids: string[];
}
