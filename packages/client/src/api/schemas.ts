// Made from the OpenAPI documents of the services by test/openapi.test.ts, which also holds it against them.
// Not written by hand: `REGENERATE=1 npm test -- packages/client/test/openapi` writes it anew.

/** One firing of an alert rule, as it was accepted. */
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
  outcome: 'dispatched' | 'rule_disabled' | 'rule_deleted' | 'no_webhooks';
  /** Why nothing was delivered; null where deliveries were made. */
  outcome_reason: string | null;
}

export interface AlertAccepted {
  alert_id: string;
}

export interface AlertRule {
  id: string;
  workspace_id: string;
  name: string;
  model_id: string;
  threshold: number;
  bound: 'upper_bound' | 'lower_bound';
  /** A disabled rule delivers nothing. True unless given. */
  enabled: boolean;
  /** Webhooks of the same workspace to call when the rule fires: 20 at most, duplicates are dropped. */
  notification_webhook_ids: string[];
  created_at: string;
  updated_at: string;
}

/** An engine key, never the raw key or its hash. */
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
  /** What was sent; null for callers without the permission webhook_update, for it can hold credentials. */
  request_body: string | null;
  response: {
    status_code: number;
    response: string;
    /** The answer was longer than what is kept of it. */
    truncated: boolean;
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
    | null;
}

export interface CreateAlertRule {
  name: string;
  model_id: string;
  threshold: number;
  bound: 'upper_bound' | 'lower_bound';
  /** A disabled rule delivers nothing. True unless given. */
  enabled?: boolean | undefined;
  /** Webhooks of the same workspace to call when the rule fires: 20 at most, duplicates are dropped. */
  notification_webhook_ids?: string[] | undefined;
}

export interface CreateApiKey {
  description: string;
}

export interface CreateRedelivery {
  /** Those that failed, unless given. */
  status?: 'failed' | 'skipped' | 'succeeded' | undefined;
  webhook_id?: string | undefined;
  alert_id?: string | undefined;
  alert_rule_id?: string | undefined;
  status_code?: number | undefined;
  /** Deliveries of alerts accepted at this time or later. */
  since?: string | undefined;
  /** Deliveries of alerts accepted before this time, and before the request in any case. */
  until?: string | undefined;
}

export interface CreateWebhook {
  /** A label for people; shown where webhooks are attached to alert rules. */
  name: string;
  /** An absolute http or https URL; receives the POST. */
  url: string;
  /** Name to values, sent exactly so, each value as a line of its own. `[]` sends nothing. */
  headers?: Record<string, string[]> | undefined;
  /** A Jinja2 template, 64 KiB at most; it must render to JSON. */
  body: string;
  /** True unless given. */
  enabled?: boolean | undefined;
  /** Whether a delivery that timed out is sent again. True unless given. */
  retry_on_timeout?: boolean | undefined;
}

/** The only time that the raw key is seen. */
export interface CreatedApiKey {
  id: string;
  /** The raw key: base64 of {id}:{key}. */
  key: string;
  description: string;
  is_active: true;
  created_at: string;
  message: string;
}

/** A message that could not be processed and was set aside. */
export interface DeadLetter {
  id: string;
  reason: 'malformed_message' | 'invalid_message' | 'unknown_alert_rule' | 'unrouted';
  detail: string;
  queue: string;
  routing_key: string;
  /** The message: its JSON value, its text, or its bytes in base64, as `encoding` says. */
  message: unknown;
  encoding: 'json' | 'utf-8' | 'base64';
  /** Of the whole message; of more than 1 MiB only the beginning is kept. */
  size_bytes: number;
  /** Only the beginning of the message is shown. */
  truncated: boolean;
  created_at: string;
  requeued_at: string | null;
}

export interface DeleteWebhookQuery {
  /** Detach it from the rules that use it. */
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
  /** Scheme and host of the url. */
  destination: string;
  status: 'waiting' | 'queued' | 'sending' | 'succeeded' | 'failed' | 'skipped';
  attempts_made: number;
  /** Set while the delivery is waiting. */
  next_attempt_at: string | null;
  first_succeeded_at: string | null;
  created_at: string;
  /** Of the last attempt. */
  response: {
    status_code: number;
    response: string;
    /** The answer was longer than what is kept of it. */
    truncated: boolean;
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
    | null;
}

export interface DeliveryWithAttempts {
  id: string;
  workspace_id: string;
  alert_id: string;
  alert_rule_id: string;
  webhook_id: string;
  webhook_name: string;
  /** Scheme and host of the url. */
  destination: string;
  status: 'waiting' | 'queued' | 'sending' | 'succeeded' | 'failed' | 'skipped';
  attempts_made: number;
  /** Set while the delivery is waiting. */
  next_attempt_at: string | null;
  first_succeeded_at: string | null;
  created_at: string;
  /** Of the last attempt. */
  response: {
    status_code: number;
    response: string;
    /** The answer was longer than what is kept of it. */
    truncated: boolean;
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
    | null;
  /** By number, lowest first; the latest 100, or as many as come to 4 MiB. */
  attempts: Attempt[];
}

export interface ListAlertRulesQuery {
  /** Entries a page. */
  limit?: number | undefined;
}

export interface ListAlertsQuery {
  alert_rule_id?: string | undefined;
  outcome?: 'dispatched' | 'rule_disabled' | 'rule_deleted' | 'no_webhooks' | undefined;
  /** Only what was accepted at this time or later. */
  since?: string | undefined;
  /** Only what was accepted before this time. */
  until?: string | undefined;
  /** Entries a page. */
  limit?: number | undefined;
}

export interface ListDeadLettersQuery {
  /** Only those that were put back, or only the others. */
  requeued?: boolean | undefined;
  /** Only what was accepted at this time or later. */
  since?: string | undefined;
  /** Only what was accepted before this time. */
  until?: string | undefined;
  /** Entries a page. */
  limit?: number | undefined;
}

export interface ListDeliveriesQuery {
  webhook_id?: string | undefined;
  alert_id?: string | undefined;
  alert_rule_id?: string | undefined;
  status?: 'waiting' | 'queued' | 'sending' | 'succeeded' | 'failed' | 'skipped' | undefined;
  /** Of the last answer. */
  status_code?: number | undefined;
  /** Only what was accepted at this time or later. */
  since?: string | undefined;
  /** Only what was accepted before this time. */
  until?: string | undefined;
  /** Entries a page. */
  limit?: number | undefined;
}

export interface ListRedeliveriesQuery {
  /** Entries a page. */
  limit?: number | undefined;
}

export interface ListWebhooksQuery {
  /** Part of the name, in any case. */
  name?: string | undefined;
  /** `created_at` unless given. */
  sort?: 'name' | 'created_at' | 'updated_at' | undefined;
  /** `asc` unless given. */
  order?: 'asc' | 'desc' | undefined;
  /** Entries a page. */
  limit?: number | undefined;
}

/** Any of the writable fields; notification_webhook_ids are replaced whole. */
export interface PatchAlertRule {
  name?: string | undefined;
  model_id?: string | undefined;
  threshold?: number | undefined;
  bound?: 'upper_bound' | 'lower_bound' | undefined;
  /** A disabled rule delivers nothing. True unless given. */
  enabled?: boolean | undefined;
  /** Webhooks of the same workspace to call when the rule fires: 20 at most, duplicates are dropped. */
  notification_webhook_ids?: string[] | undefined;
}

/** Any of the writable fields; headers are replaced whole. */
export interface PatchWebhook {
  /** A label for people; shown where webhooks are attached to alert rules. */
  name?: string | undefined;
  /** An absolute http or https URL; receives the POST. */
  url?: string | undefined;
  /** Name to values, sent exactly so, each value as a line of its own. `[]` sends nothing. */
  headers?: Record<string, string[]> | undefined;
  /** A Jinja2 template, 64 KiB at most; it must render to JSON. */
  body?: string | undefined;
  /** True unless given. */
  enabled?: boolean | undefined;
  /** Whether a delivery that timed out is sent again. True unless given. */
  retry_on_timeout?: boolean | undefined;
}

export interface Preview {
  /** Null where the template does not render. */
  rendered: string | null;
  /** `code: sentence`, or null. */
  error: string | null;
  warnings: string[];
}

export interface PreviewTemplate {
  /** A template, 64 KiB at most. */
  body: string;
  /** Template variables; they are put over the sample values of the ten that are always there. */
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
    | 'method_not_allowed'
    | 'request_timeout'
    | 'conflict'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'validation_failed'
    | 'too_many_requests'
    | 'headers_too_large'
    | 'internal_error'
    | 'unavailable';
  detail: string;
  /** With code validation_failed: what is wrong, and where. */
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
  type?: 'alert.fired' | undefined;
  version?: 1 | undefined;
  alert_id?: string | undefined;
  workspace_id?: string | undefined;
  fired_at?: string | undefined;
  alert_rule_id: string;
  model_id: string;
  model_name: string;
  metric_value: number;
  threshold?: number | undefined;
  bound?: 'upper_bound' | 'lower_bound' | undefined;
  /** For monitors that keep their own rules; counts only where no rule of this id was ever registered. */
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

/** A job that sends ended deliveries again. */
export interface Redelivery {
  id: string;
  workspace_id: string;
  filter: {
    /** Those that failed, unless given. */
    status: 'failed' | 'skipped' | 'succeeded';
    webhook_id?: string | undefined;
    alert_id?: string | undefined;
    alert_rule_id?: string | undefined;
    status_code?: number | undefined;
    /** Deliveries of alerts accepted at this time or later. */
    since?: string | undefined;
    /** Deliveries of alerts accepted before this time, and before the request in any case. */
    until: string;
  };
  /** Deliveries that matched at acceptance, counted to 100,000. */
  matched: number;
  /** Deliveries put back on their way so far. */
  done: number;
  status: 'running' | 'done' | 'cancelled';
  created_by: string;
  created_at: string;
  updated_at: string;
}

export interface SavedTestResult {
  /** `code: sentence`; null whenever an HTTP answer came, whatever its status. */
  error: string | null;
  response: {
    status_code: number;
    /** The answer’s body as text, 64 KiB at most. */
    response: string;
  } | null;
  /** An answer came, and its status is 299 or less. */
  success: boolean;
  duration_ms: number;
  /** What a status of 400, 401, 403 or 404 usually means. */
  likely_cause: string | null;
  /** The body that was sent; not sent where `error` says that it is not JSON. */
  rendered: string | null;
}

export interface SavedWebhook {
  id: string;
  workspace_id: string;
  /** A label for people; shown where webhooks are attached to alert rules. */
  name: string;
  /** An absolute http or https URL; receives the POST. */
  url: string;
  /** Name to values, sent exactly so, each value as a line of its own. `[]` sends nothing. */
  headers: Record<string, string[]>;
  /** A Jinja2 template, 64 KiB at most; it must render to JSON. */
  body: string;
  /** True unless given. */
  enabled: boolean;
  /** Whether a delivery that timed out is sent again. True unless given. */
  retry_on_timeout: boolean;
  created_at: string;
  updated_at: string;
  /** Issuer and subject of the last writer. */
  last_updated_by: string;
  /** What was accepted and is probably not meant, about the fields that were written. */
  warnings: string[];
}

export interface TestResult {
  /** `code: sentence`; null whenever an HTTP answer came, whatever its status. */
  error: string | null;
  response: {
    status_code: number;
    /** The answer’s body as text, 64 KiB at most. */
    response: string;
  } | null;
  /** An answer came, and its status is 299 or less. */
  success: boolean;
  duration_ms: number;
  /** What a status of 400, 401, 403 or 404 usually means. */
  likely_cause: string | null;
}

export interface TestSavedWebhook {
  /** Template variables; they are put over the sample values of the ten that are always there. */
  context?: Record<string, unknown> | undefined;
}

export interface TestWebhook {
  /** An absolute http or https URL. */
  url: string;
  headers?: Record<string, string[]> | undefined;
  /** Sent as it is; 64 KiB at most. */
  body: string;
}

/** Callers without `webhook_update` see the scheme and host of the url and the names of the headers; the rest of the url, the header values and the body read `[hidden]`. */
export interface Webhook {
  id: string;
  workspace_id: string;
  /** A label for people; shown where webhooks are attached to alert rules. */
  name: string;
  /** An absolute http or https URL; receives the POST. */
  url: string;
  /** Name to values, sent exactly so, each value as a line of its own. `[]` sends nothing. */
  headers: Record<string, string[]>;
  /** A Jinja2 template, 64 KiB at most; it must render to JSON. */
  body: string;
  /** True unless given. */
  enabled: boolean;
  /** Whether a delivery that timed out is sent again. True unless given. */
  retry_on_timeout: boolean;
  created_at: string;
  updated_at: string;
  /** Issuer and subject of the last writer. */
  last_updated_by: string;
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
