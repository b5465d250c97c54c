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
  /** Short values by name. At most 20, each with at most 256 characters. */
  labels: Record<string, string>;
  /** Longer texts by name, such as summary and link. At most 20, with their names at most 4,096 bytes of UTF-8 in total. */
  annotations: Record<string, string>;
  /** True if the publisher marked the alert as a test. */
  is_test: boolean;
  outcome: 'dispatched' | 'rule_disabled' | 'rule_deleted' | 'no_webhooks' | 'over_quota' | 'suppressed';
  /** Reason why nothing was delivered, or null. */
  outcome_reason: string | null;
  /** Reason why the alert was suppressed. A dispatch by hand does not clear it. Null for other alerts. */
  suppressed_by: {
    /** `cooldown`: the alert was accepted in the cooldown of its rule. `silence`: the rule was silenced. */
    reason: 'cooldown' | 'silence';
    /** The dispatched alert that started the cooldown. Null for a silence. */
    alert_id: string | null;
  } | null;
  /** Webhooks of an alert that has no deliveries: only for the outcome over_quota, and for a disabled rule in the message. */
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
  /** Id that you choose, of 1 to 255 printable characters. It is unique among the webhooks, and among the alert rules, of a workspace. Default: null, no id. */
  external_id: string | null;
  model_id: string;
  threshold: number;
  bound: 'upper_bound' | 'lower_bound';
  /** Alerts of a disabled rule are not delivered. Default: true. */
  enabled: boolean;
  /** Number of seconds after a dispatched alert in which further firing alerts are suppressed. Resolved alerts are not suppressed. Default: 0. */
  cooldown_seconds: number;
  /** All alerts accepted before this time are suppressed. Default: null. */
  silenced_until: string | null;
  /** Ids of webhooks of the workspace to call when the rule fires. Duplicates are removed. At most 20 different ids. */
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
    /** True: the stored text is not the whole response, which was longer or ended early. */
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
  /** Usual cause of the response status, and a solution, for 3xx, 400, 401, 403, 404, 415 and 429. */
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
  /** Display name of the caller at the time of the change. */
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
    /** Only alerts accepted at this time or later, and their deliveries. */
    since?: string | undefined;
    /** Only alerts accepted before this time and before the request, and their deliveries. A time that is not in the past does not count as a filter. */
    until: string;
  };
}

export interface CreateAlertRule {
  name: string;
  /** Id that you choose, of 1 to 255 printable characters. It is unique among the webhooks, and among the alert rules, of a workspace. Default: null, no id. */
  external_id?: string | null | undefined;
  model_id: string;
  threshold: number;
  bound: 'upper_bound' | 'lower_bound';
  /** Alerts of a disabled rule are not delivered. Default: true. */
  enabled?: boolean | undefined;
  /** Number of seconds after a dispatched alert in which further firing alerts are suppressed. Resolved alerts are not suppressed. Default: 0. */
  cooldown_seconds?: number | undefined;
  /** All alerts accepted before this time are suppressed. Default: null. */
  silenced_until?: string | null | undefined;
  /** Ids of webhooks of the workspace to call when the rule fires. Duplicates are removed. At most 20 different ids. */
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
  /** Only alerts accepted at this time or later, and their deliveries. */
  since?: string | undefined;
  /** Only alerts accepted before this time and before the request, and their deliveries. A time that is not in the past does not count as a filter. */
  until?: string | undefined;
  /** True: no other filter is required, and the job applies to the whole workspace. */
  all?: boolean | undefined;
}

/** At least one filter, or `all: true`. */
export interface CreateDispatch {
  /** Outcome of the alerts. Default: any of these. */
  outcome?: 'over_quota' | 'no_webhooks' | 'rule_disabled' | 'suppressed' | undefined;
  alert_rule_id?: string | undefined;
  /** Only alerts accepted at this time or later, and their deliveries. */
  since?: string | undefined;
  /** Only alerts accepted before this time and before the request, and their deliveries. A time that is not in the past does not count as a filter. */
  until?: string | undefined;
  /** True: no other filter is required, and the job applies to the whole workspace. */
  all?: boolean | undefined;
}

/** At least one filter besides `status`, or `all: true`. */
export interface CreateRedelivery {
  /** Status of the deliveries. Default: failed. */
  status?: 'succeeded' | 'failed' | 'skipped' | undefined;
  webhook_id?: string | undefined;
  alert_id?: string | undefined;
  alert_rule_id?: string | undefined;
  status_code?: number | undefined;
  /** Only alerts accepted at this time or later, and their deliveries. */
  since?: string | undefined;
  /** Only alerts accepted before this time and before the request, and their deliveries. A time that is not in the past does not count as a filter. */
  until?: string | undefined;
  /** True: no other filter is required, and the job applies to the whole workspace. */
  all?: boolean | undefined;
}

export interface CreateSigningSecret {
  /** Time after which the other secrets of the webhook stop signing. Default: they sign until they are deleted. */
  expire_others_after_seconds?: number | undefined;
}

export interface CreateWebhook {
  /** Display name. */
  name: string;
  /** Id that you choose, of 1 to 255 printable characters. It is unique among the webhooks, and among the alert rules, of a workspace. Default: null, no id. */
  external_id?: string | null | undefined;
  /** Absolute http or https URL that receives the POST. */
  url: string;
  /** Header names with lists of values. Headers are sent unchanged, one line for each value. A header with `[]` is not sent. */
  headers?: Record<string, string[]> | undefined;
  /** Jinja2 template, 64 KiB at most. It must render to JSON. */
  body: string;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** True: deliveries are retried after a timeout. Default: true. */
  retry_on_timeout?: boolean | undefined;
  /** Delays before the second and each later attempt, in milliseconds, each with 20 % jitter. Their sum is below 24 hours. `[]`: no retries. Default: null, the schedule of the deployment. */
  retry_schedule_ms?: number[] | null | undefined;
  /** Time limit of a request, from connecting to the end of the response, in milliseconds. Default: null, 10 s. Connecting may take at most 5 s. */
  timeout_ms?: number | null | undefined;
  /** Maximum number of requests in a period. Further deliveries wait, and due retries are sent before new deliveries. Retries and redeliveries count, tests do not. Default: null, no limit. */
  rate_limit?:
    | {
        requests: number;
        period_ms: number;
      }
    | null
    | undefined;
  /** Sign each request as Standard Webhooks specifies (webhook-id, webhook-timestamp, webhook-signature), with all signing secrets that have not expired. Deliveries wait if there is none. Default: false. */
  signing?: boolean | undefined;
  /** Name of a header that contains the id of the delivery. All attempts and redeliveries send an equal id. Default: null, no header. */
  idempotency_header?: string | null | undefined;
  /** Deliveries wait until this time, at most 7 days in the future, and do not expire before. Null ends the pause. Default: null. */
  paused_until?: string | null | undefined;
}

/** A new engine key with its raw form, which is shown only here. */
export interface CreatedApiKey {
  id: string;
  /** The raw key: base64 of `{id}:{key}`. */
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
  /** True: only the beginning of the message is shown. */
  truncated: boolean;
  created_at: string;
  requeued_at: string | null;
}

export interface DeleteWebhookQuery {
  /** True: the webhook is also removed from alert rules that use it. */
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
  /** Scheme and host of the last attempt. Before the first attempt: of the webhook when the alert was accepted. */
  destination: string;
  status: 'waiting' | 'queued' | 'sending' | 'succeeded' | 'failed' | 'skipped';
  attempts_made: number;
  /** Time of the next attempt. Null if the delivery does not wait. */
  next_attempt_at: string | null;
  /** Reason why the delivery waits. Null if it does not wait. `retry`: the time of its next attempt has not come. `paused`: the webhook is paused. `backlog`: it is due and waits behind other deliveries. `no_slot`: no worker has a free slot for the webhook, or memory for the body. `crashed`: a claim ended without an outcome, because its worker crashed, froze or lost the database. `undecryptable`: the worker has no key for the webhook. `render_budget`: the workspace has used its time for rendering. `rate_limit`: the webhook has reached its rate limit. `no_signing_secret`: the webhook signs its requests and has no secret. */
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
  /** True if attempts were removed because of their age (`RETENTION_ATTEMPTS_DAYS`, 14 by default); `attempts_made` still counts them. */
  attempts_expired: boolean;
  /** Acceptance time of the alert, also if the alert was dispatched by hand later. */
  created_at: string;
  /** Response to the last attempt. */
  response: {
    status_code: number;
    response: string;
    /** True: the stored text is not the whole response, which was longer or ended early. */
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
  /** Usual cause of the response status, and a solution, for 3xx, 400, 401, 403, 404, 415 and 429. */
  likely_cause: string | null;
  /** Rendered text that was not sent because it is not JSON (`invalid_json`). Null for callers without the permission webhook_update. */
  rendered: string | null;
}

/** Counts of deliveries by time step. */
export interface DeliveryStats {
  /** All steps of the time range, oldest first. With `group_by=webhook`: all steps of each webhook that has a delivery in the range. A delivery counts in the step that contains the `accepted_at` of its alert, with its current status. */
  steps: DeliveryStatsStep[];
  /** `accepted_at` of the oldest alert with an open delivery, also outside of the time range. With `webhook_id`, only deliveries of this webhook count. Null if no delivery is open. */
  oldest_open_at: string | null;
}

export interface DeliveryStatsStep {
  /** Start of the step, aligned to UTC. */
  from: string;
  /** End of the step and start of the next one. */
  to: string;
  /** Only with `group_by=webhook`. */
  webhook_id?: string | undefined;
  succeeded: number;
  failed: number;
  skipped: number;
  /** Number of deliveries that are waiting, queued or sending. */
  open: number;
  /** Number of HTTP requests of the deliveries in the step. */
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
  /** Scheme and host of the last attempt. Before the first attempt: of the webhook when the alert was accepted. */
  destination: string;
  status: 'waiting' | 'queued' | 'sending' | 'succeeded' | 'failed' | 'skipped';
  attempts_made: number;
  /** Time of the next attempt. Null if the delivery does not wait. */
  next_attempt_at: string | null;
  /** Reason why the delivery waits. Null if it does not wait. `retry`: the time of its next attempt has not come. `paused`: the webhook is paused. `backlog`: it is due and waits behind other deliveries. `no_slot`: no worker has a free slot for the webhook, or memory for the body. `crashed`: a claim ended without an outcome, because its worker crashed, froze or lost the database. `undecryptable`: the worker has no key for the webhook. `render_budget`: the workspace has used its time for rendering. `rate_limit`: the webhook has reached its rate limit. `no_signing_secret`: the webhook signs its requests and has no secret. */
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
  /** True if attempts were removed because of their age (`RETENTION_ATTEMPTS_DAYS`, 14 by default); `attempts_made` still counts them. */
  attempts_expired: boolean;
  /** Acceptance time of the alert, also if the alert was dispatched by hand later. */
  created_at: string;
  /** Response to the last attempt. */
  response: {
    status_code: number;
    response: string;
    /** True: the stored text is not the whole response, which was longer or ended early. */
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
  /** Usual cause of the response status, and a solution, for 3xx, 400, 401, 403, 404, 415 and 429. */
  likely_cause: string | null;
  /** Rendered text that was not sent because it is not JSON (`invalid_json`). Null for callers without the permission webhook_update. */
  rendered: string | null;
  /** Attempts in the order of their numbers: the latest 100, or fewer if they exceed 4 MiB. */
  attempts: Attempt[];
}

/** A job that creates deliveries for alerts without deliveries, to the current webhooks of their rules. */
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
    /** Outcome of the alerts. Default: any of these. */
    outcome?: 'over_quota' | 'no_webhooks' | 'rule_disabled' | 'suppressed' | undefined;
    alert_rule_id?: string | undefined;
    /** Only alerts accepted at this time or later, and their deliveries. */
    since?: string | undefined;
    /** Only alerts accepted before this time and before the request, and their deliveries. A time that is not in the past does not count as a filter. */
    until: string;
  };
}

export interface GetDeliveryStatsQuery {
  /** Start of the time range. Default: 24 hours before `until`. */
  since?: string | undefined;
  /** End of the time range. Default: now. */
  until?: string | undefined;
  /** Length of a step. Default: `hour`. */
  step?: 'minute' | 'hour' | 'day' | undefined;
  /** Counts the deliveries of this webhook only. */
  webhook_id?: string | undefined;
  /** Counts each webhook separately. */
  group_by?: 'webhook' | undefined;
}

export interface ListAlertRulesQuery {
  external_id?: string | undefined;
  /** Id of a webhook. Only rules that call it are listed. */
  webhook_id?: string | undefined;
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
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
  /** Label of the alert as `name:value`. If the parameter is repeated, the alert must have all labels. Needs `since`. */
  label?: string[] | undefined;
  /** Entries accepted at this time or later. */
  since?: string | undefined;
  /** Entries accepted before this time. */
  until?: string | undefined;
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
  count?: boolean | undefined;
}

export interface ListAllAuditEventsQuery {
  resource_id?: string | undefined;
  /** Issuer and subject, written as in events, or `system`. */
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
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
  count?: boolean | undefined;
}

export interface ListAuditEventsQuery {
  resource_id?: string | undefined;
  /** Issuer and subject, written as in events, or `system`. */
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
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
  count?: boolean | undefined;
}

export interface ListCancellationsQuery {
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
  count?: boolean | undefined;
}

export interface ListDeadLettersQuery {
  /** `true`: only requeued dead letters; `false`: only the others. */
  requeued?: boolean | undefined;
  /** Entries accepted at this time or later. */
  since?: string | undefined;
  /** Entries accepted before this time. */
  until?: string | undefined;
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
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
  /** Label of the alert as `name:value`. If the parameter is repeated, the alert must have all labels. Needs `since`. */
  label?: string[] | undefined;
  /** Entries accepted at this time or later. */
  since?: string | undefined;
  /** Entries accepted before this time. */
  until?: string | undefined;
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
  count?: boolean | undefined;
}

export interface ListDispatchesQuery {
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
  count?: boolean | undefined;
}

export interface ListRedeliveriesQuery {
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
  count?: boolean | undefined;
}

export interface ListWebhooksQuery {
  /** Text that the name contains, ignoring case. */
  name?: string | undefined;
  external_id?: string | undefined;
  /** Host of the url, ignoring case. `host` matches all ports, `host:port` only one. */
  host?: string | undefined;
  /** Field to sort by. Default: `created_at`. */
  sort?: 'name' | 'created_at' | 'updated_at' | undefined;
  /** Sort order. Default: `asc`. */
  order?: 'asc' | 'desc' | undefined;
  /** False: every caller sees url, headers and body as callers without `webhook_update` do. Long lists are then much faster. Default: true. */
  secrets?: boolean | undefined;
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
  count?: boolean | undefined;
}

export interface ListWorkspaceDeadLettersQuery {
  /** `true`: only requeued dead letters; `false`: only the others. */
  requeued?: boolean | undefined;
  /** Entries accepted at this time or later. */
  since?: string | undefined;
  /** Entries accepted before this time. */
  until?: string | undefined;
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
  count?: boolean | undefined;
}

export interface ListWorkspacesQuery {
  /** Maximum number of entries on a page. */
  limit?: number | undefined;
  /** True: the header `X-Total-Count` contains the number of all entries that match the filters. */
  count?: boolean | undefined;
}

/** Any of the writable fields. A given notification_webhook_ids replaces the whole list. */
export interface PatchAlertRule {
  name?: string | undefined;
  /** Id that you choose, of 1 to 255 printable characters. It is unique among the webhooks, and among the alert rules, of a workspace. Default: null, no id. */
  external_id?: string | null | undefined;
  model_id?: string | undefined;
  threshold?: number | undefined;
  bound?: 'upper_bound' | 'lower_bound' | undefined;
  /** Alerts of a disabled rule are not delivered. Default: true. */
  enabled?: boolean | undefined;
  /** Number of seconds after a dispatched alert in which further firing alerts are suppressed. Resolved alerts are not suppressed. Default: 0. */
  cooldown_seconds?: number | undefined;
  /** All alerts accepted before this time are suppressed. Default: null. */
  silenced_until?: string | null | undefined;
  /** Ids of webhooks of the workspace to call when the rule fires. Duplicates are removed. At most 20 different ids. */
  notification_webhook_ids?: string[] | undefined;
}

/** Any of the writable fields. Given headers replace all headers. */
export interface PatchWebhook {
  /** Display name. */
  name?: string | undefined;
  /** Id that you choose, of 1 to 255 printable characters. It is unique among the webhooks, and among the alert rules, of a workspace. Default: null, no id. */
  external_id?: string | null | undefined;
  /** Absolute http or https URL that receives the POST. */
  url?: string | undefined;
  /** Header names with lists of values. Headers are sent unchanged, one line for each value. A header with `[]` is not sent. */
  headers?: Record<string, string[]> | undefined;
  /** Jinja2 template, 64 KiB at most. It must render to JSON. */
  body?: string | undefined;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** True: deliveries are retried after a timeout. Default: true. */
  retry_on_timeout?: boolean | undefined;
  /** Delays before the second and each later attempt, in milliseconds, each with 20 % jitter. Their sum is below 24 hours. `[]`: no retries. Default: null, the schedule of the deployment. */
  retry_schedule_ms?: number[] | null | undefined;
  /** Time limit of a request, from connecting to the end of the response, in milliseconds. Default: null, 10 s. Connecting may take at most 5 s. */
  timeout_ms?: number | null | undefined;
  /** Maximum number of requests in a period. Further deliveries wait, and due retries are sent before new deliveries. Retries and redeliveries count, tests do not. Default: null, no limit. */
  rate_limit?:
    | {
        requests: number;
        period_ms: number;
      }
    | null
    | undefined;
  /** Sign each request as Standard Webhooks specifies (webhook-id, webhook-timestamp, webhook-signature), with all signing secrets that have not expired. Deliveries wait if there is none. Default: false. */
  signing?: boolean | undefined;
  /** Name of a header that contains the id of the delivery. All attempts and redeliveries send an equal id. Default: null, no header. */
  idempotency_header?: string | null | undefined;
  /** Deliveries wait until this time, at most 7 days in the future, and do not expire before. Null ends the pause. Default: null. */
  paused_until?: string | null | undefined;
}

/** Any of the fields. A given notice_webhook_ids replaces the whole list. */
export interface PatchWorkspaceSettings {
  /** Display name of the workspace. Default: null. */
  name?: string | null | undefined;
  /** Webhooks of the workspace that are called when a webhook fails for a while, recovers or is disabled, and for dead letters. Duplicates are removed. At most 20 different ids. Default: none. */
  notice_webhook_ids?: string[] | undefined;
}

export interface Preview {
  /** Null if the template does not render. */
  rendered: string | null;
  /** Error as `code: sentence`, or null. */
  error: string | null;
  warnings: string[];
}

export interface PreviewTemplate {
  /** A template, 64 KiB at most. */
  body: string;
  /** Template variables. They replace the values of the sample alert, or of the alert that `alert_id` names. */
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
  /** Validation errors. Only with the code validation_failed. */
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
  /** Id of the alert. If an id is published again, the first alert is kept and the later one is ignored. */
  alert_id?: string | undefined;
  /** Workspace of the rule. */
  workspace_id?: string | undefined;
  /** Time at which the alert fired, as ISO 8601 with a time zone. */
  fired_at?: string | undefined;
  /** The rule that fired. */
  alert_rule_id: string;
  /** The monitored model. */
  model_id: string;
  /** Display name of the model. */
  model_name: string;
  /** The observed value. */
  metric_value: number;
  /** Threshold when the alert fired. Default: the current threshold of the rule. */
  threshold?: number | undefined;
  /** Bound when the alert fired. Default: the current bound of the rule. */
  bound?: 'upper_bound' | 'lower_bound' | undefined;
  /** State of the alert, which templates can use. Alerts of both states are delivered. Default: firing. */
  state?: 'firing' | 'resolved' | undefined;
  /** Short values by name. At most 20, each with at most 256 characters. */
  labels?: Record<string, string> | undefined;
  /** Longer texts by name, such as summary and link. At most 20, with their names at most 4,096 bytes of UTF-8 in total. */
  annotations?: Record<string, string> | undefined;
  /** True: the alert is a test. It is delivered like any other alert. Default: false. */
  is_test?: boolean | undefined;
  /** Rule of a monitor that does not register its rules. Ignored if a rule with this id is or was registered. */
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

/** Each alert is checked and published independently. */
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
    /** Status of the deliveries. Default: failed. */
    status: 'succeeded' | 'failed' | 'skipped';
    webhook_id?: string | undefined;
    alert_id?: string | undefined;
    alert_rule_id?: string | undefined;
    status_code?: number | undefined;
    /** Only alerts accepted at this time or later, and their deliveries. */
    since?: string | undefined;
    /** Only alerts accepted before this time and before the request, and their deliveries. A time that is not in the past does not count as a filter. */
    until: string;
  };
}

export interface SavedTestResult {
  /** Error as `code: sentence`. Null if there was an HTTP response, with any status. Besides the codes of attempts, the code can be `no_signing_secret`: the webhook signs its requests and has no secret, so nothing was sent. */
  error: string | null;
  response: {
    status_code: number;
    /** Response body as text, 64 KiB at most. */
    response: string;
  } | null;
  /** True: there was a response with a status of at most 299. */
  success: boolean;
  duration_ms: number;
  /** Usual cause of the response status, and a solution, for 3xx, 400, 401, 403, 404, 415 and 429. */
  likely_cause: string | null;
  /** Rendered body. It was not sent if `error` says that it is not JSON. */
  rendered: string | null;
}

export interface SavedWebhook {
  id: string;
  workspace_id: string;
  /** Display name. */
  name: string;
  /** Id that you choose, of 1 to 255 printable characters. It is unique among the webhooks, and among the alert rules, of a workspace. Default: null, no id. */
  external_id: string | null;
  /** Absolute http or https URL that receives the POST. */
  url: string;
  /** Header names with lists of values. Headers are sent unchanged, one line for each value. A header with `[]` is not sent. */
  headers: Record<string, string[]>;
  /** Jinja2 template, 64 KiB at most. It must render to JSON. */
  body: string;
  /** Default: true. */
  enabled: boolean;
  /** True: deliveries are retried after a timeout. Default: true. */
  retry_on_timeout: boolean;
  /** Delays before the second and each later attempt, in milliseconds, each with 20 % jitter. Their sum is below 24 hours. `[]`: no retries. Default: null, the schedule of the deployment. */
  retry_schedule_ms: number[] | null;
  /** Time limit of a request, from connecting to the end of the response, in milliseconds. Default: null, 10 s. Connecting may take at most 5 s. */
  timeout_ms: number | null;
  /** Maximum number of requests in a period. Further deliveries wait, and due retries are sent before new deliveries. Retries and redeliveries count, tests do not. Default: null, no limit. */
  rate_limit: {
    requests: number;
    period_ms: number;
  } | null;
  /** Sign each request as Standard Webhooks specifies (webhook-id, webhook-timestamp, webhook-signature), with all signing secrets that have not expired. Deliveries wait if there is none. Default: false. */
  signing: boolean;
  /** Name of a header that contains the id of the delivery. All attempts and redeliveries send an equal id. Default: null, no header. */
  idempotency_header: string | null;
  /** Deliveries wait until this time, at most 7 days in the future, and do not expire before. Null ends the pause. Default: null. */
  paused_until: string | null;
  /** Reason why the system has disabled the webhook. Null if it has not. */
  disabled_reason: string | null;
  /** Pause of the webhook, in which its deliveries wait. Null if deliveries are sent, and while single requests probe the destination after a pause. */
  paused: {
    /** `circuit`: several deliveries in a row failed. `retry_after`: the destination asked for it with 429 or 503 and `Retry-After`. `manual`: a user asked for it. */
    reason: 'circuit' | 'retry_after' | 'manual';
    since: string;
    /** Earliest time of the next request. */
    until: string;
    /** The failure that caused the pause. */
    error: string | null;
  } | null;
  /** State of the deliveries of the webhook. Tests do not count. */
  health: {
    /** The first of these states that applies. `disabled`: the webhook is switched off. `paused`: see `paused`. `failing`: the last attempt failed, or its body could not be rendered. `healthy`: the last attempt succeeded. `unknown`: there was no attempt within 24 hours. */
    state: 'disabled' | 'paused' | 'failing' | 'healthy' | 'unknown';
    /** Start of the state; for `failing`, the first failure after the last success. Null for `unknown`. */
    since: string | null;
    /** The last failure. It can be older than the last success. */
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
    /** Succeeded deliveries divided by succeeded and failed deliveries, in the last 24 hours (from the start of an hour). Null if none has ended. */
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
  /** Error as `code: sentence`. Null if there was an HTTP response, with any status. */
  error: string | null;
  response: {
    status_code: number;
    /** Response body as text, 64 KiB at most. */
    response: string;
  } | null;
  /** True: there was a response with a status of at most 299. */
  success: boolean;
  duration_ms: number;
  /** Usual cause of the response status, and a solution, for 3xx, 400, 401, 403, 404, 415 and 429. */
  likely_cause: string | null;
}

export interface TestSavedWebhook {
  /** Id of a past alert of the workspace. The template gets its values instead of the sample values. */
  alert_id?: string | undefined;
  /** Template variables. They replace the values of the sample alert, or of the alert that `alert_id` names. */
  context?: Record<string, unknown> | undefined;
}

export interface TestWebhook {
  /** Absolute http or https URL that receives the POST. */
  url: string;
  /** Header names with lists of values. Headers are sent unchanged, one line for each value. A header with `[]` is not sent. */
  headers?: Record<string, string[]> | undefined;
  /** Body of the request, which is not rendered. At most 64 KiB. */
  body: string;
}

/** Callers without `webhook_update` see the scheme and host of the url and the names of the headers; the rest of the url, the header values and the body are replaced by `[hidden]`. */
export interface Webhook {
  id: string;
  workspace_id: string;
  /** Display name. */
  name: string;
  /** Id that you choose, of 1 to 255 printable characters. It is unique among the webhooks, and among the alert rules, of a workspace. Default: null, no id. */
  external_id: string | null;
  /** Absolute http or https URL that receives the POST. */
  url: string;
  /** Header names with lists of values. Headers are sent unchanged, one line for each value. A header with `[]` is not sent. */
  headers: Record<string, string[]>;
  /** Jinja2 template, 64 KiB at most. It must render to JSON. */
  body: string;
  /** Default: true. */
  enabled: boolean;
  /** True: deliveries are retried after a timeout. Default: true. */
  retry_on_timeout: boolean;
  /** Delays before the second and each later attempt, in milliseconds, each with 20 % jitter. Their sum is below 24 hours. `[]`: no retries. Default: null, the schedule of the deployment. */
  retry_schedule_ms: number[] | null;
  /** Time limit of a request, from connecting to the end of the response, in milliseconds. Default: null, 10 s. Connecting may take at most 5 s. */
  timeout_ms: number | null;
  /** Maximum number of requests in a period. Further deliveries wait, and due retries are sent before new deliveries. Retries and redeliveries count, tests do not. Default: null, no limit. */
  rate_limit: {
    requests: number;
    period_ms: number;
  } | null;
  /** Sign each request as Standard Webhooks specifies (webhook-id, webhook-timestamp, webhook-signature), with all signing secrets that have not expired. Deliveries wait if there is none. Default: false. */
  signing: boolean;
  /** Name of a header that contains the id of the delivery. All attempts and redeliveries send an equal id. Default: null, no header. */
  idempotency_header: string | null;
  /** Deliveries wait until this time, at most 7 days in the future, and do not expire before. Null ends the pause. Default: null. */
  paused_until: string | null;
  /** Reason why the system has disabled the webhook. Null if it has not. */
  disabled_reason: string | null;
  /** Pause of the webhook, in which its deliveries wait. Null if deliveries are sent, and while single requests probe the destination after a pause. */
  paused: {
    /** `circuit`: several deliveries in a row failed. `retry_after`: the destination asked for it with 429 or 503 and `Retry-After`. `manual`: a user asked for it. */
    reason: 'circuit' | 'retry_after' | 'manual';
    since: string;
    /** Earliest time of the next request. */
    until: string;
    /** The failure that caused the pause. */
    error: string | null;
  } | null;
  /** State of the deliveries of the webhook. Tests do not count. */
  health: {
    /** The first of these states that applies. `disabled`: the webhook is switched off. `paused`: see `paused`. `failing`: the last attempt failed, or its body could not be rendered. `healthy`: the last attempt succeeded. `unknown`: there was no attempt within 24 hours. */
    state: 'disabled' | 'paused' | 'failing' | 'healthy' | 'unknown';
    /** Start of the state; for `failing`, the first failure after the last success. Null for `unknown`. */
    since: string | null;
    /** The last failure. It can be older than the last success. */
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
    /** Succeeded deliveries divided by succeeded and failed deliveries, in the last 24 hours (from the start of an hour). Null if none has ended. */
    success_rate_24h: number | null;
  };
  created_at: string;
  updated_at: string;
  /** Issuer and subject of the last caller who changed it. */
  last_updated_by: string;
  /** True if url, headers and body cannot be decrypted: the url then shows only scheme and host, and header values and body are empty. Only in lists, and missing otherwise. */
  undecryptable?: boolean | undefined;
}

/** The caller, and its roles by workspace. */
export interface Whoami {
  issuer: string;
  subject: string;
  display: string;
  /** Names of roles by workspace id. */
  workspaces: Record<string, string[]>;
  deployment_roles: string[];
}

/** A workspace that the caller can see. Another system owns the workspaces. */
export interface Workspace {
  id: string;
  /** Display name. Null if the workspace has none. */
  name: string | null;
}

export interface WorkspaceSettings {
  /** Display name of the workspace. Default: null. */
  name: string | null;
  /** Webhooks of the workspace that are called when a webhook fails for a while, recovers or is disabled, and for dead letters. Duplicates are removed. At most 20 different ids. Default: none. */
  notice_webhook_ids: string[];
}
