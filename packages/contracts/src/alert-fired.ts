import { findInvalidText } from '@tocsin/kit';
import type { FromSchema } from 'json-schema-to-ts';
import { type Check, createCheck } from './check.js';
import { bound, maxWebhookIds, time, uuid } from './common-schemas.js';

/** Exchange and routing key that monitors use to publish alerts. */
export const alertsExchange = 'tocsin.alerts';
export const alertFiredKey = 'alert.fired';
/**
 * Optional message header with an id for the logs: the id of the REST request that published the alert, or an id that a
 * monitor has chosen.
 */
export const requestIdHeader = 'x-request-id';
/**
 * Maximum size of an alert-fired message in bytes. A worker parses no larger message, and the API has the same default
 * limit for a request. Alerts from the API have a few kilobytes, but RabbitMQ 3 accepts messages of 128 MiB by default.
 * Parsing such a message would exhaust the memory of a worker, and the broker would then redeliver the message to the
 * next worker.
 */
export const maxAlertBytes = 1_048_576;
/** Message header with the principal that published the alert over REST, encrypted by the API. */
export const alertPublisherHeader = 'x-tocsin-publisher';

/** States of an alert. */
export const alertStates = ['firing', 'resolved'] as const;

/** Labels of an alert, as published and as stored. */
export const alertLabels = {
  type: 'object',
  maxProperties: 20,
  propertyNames: {
    pattern: '^[A-Za-z_][A-Za-z0-9_.-]{0,62}$',
    description: 'a label name: 63 letters, digits, _, . and - at most, beginning with a letter or _',
  },
  additionalProperties: { type: 'string', maxLength: 256 },
  description: 'Short values by name. At most 20, each with at most 256 characters.',
} as const;

/** Annotations of an alert, as published and as stored. */
export const alertAnnotations = {
  type: 'object',
  maxProperties: 20,
  'x-max-bytes': 4_096,
  additionalProperties: { type: 'string' },
  description:
    'Longer texts by name, such as summary and link. At most 20, with their names at most 4,096 bytes of UTF-8 in total.',
} as const;

/** Members of an alert-fired message. They are the same over AMQP and REST. */
export const alertFiredProperties = {
  type: { const: 'alert.fired', description: 'The kind of the message.' },
  version: { const: 1, description: 'The version of the message.' },
  alert_id: {
    ...uuid,
    description:
      'Id of the alert. If an id is published again, the first alert is kept and the later one is ignored.',
  },
  workspace_id: { ...uuid, description: 'Workspace of the rule.' },
  fired_at: {
    ...time,
    maxLength: 64,
    description: 'Time at which the alert fired, as ISO 8601 with a time zone.',
  },
  alert_rule_id: { ...uuid, description: 'The rule that fired.' },
  model_id: { ...uuid, description: 'The monitored model.' },
  model_name: { type: 'string', maxLength: 1024, description: 'Display name of the model.' },
  metric_value: { type: 'number', description: 'The observed value.' },
  threshold: {
    type: 'number',
    description: 'Threshold when the alert fired. Default: the current threshold of the rule.',
  },
  bound: { ...bound, description: 'Bound when the alert fired. Default: the current bound of the rule.' },
  state: {
    type: 'string',
    enum: alertStates,
    description:
      'State of the alert, which templates can use. Alerts of both states are delivered. Default: firing.',
  },
  labels: alertLabels,
  annotations: alertAnnotations,
  is_test: {
    type: 'boolean',
    description: 'True: the alert is a test. It is delivered like any other alert. Default: false.',
  },
  alert_rule: {
    type: 'object',
    description:
      'Rule of a monitor that does not register its rules. Ignored if a rule with this id is or was registered.',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 255 },
      enabled: { type: 'boolean' },
      threshold: { type: 'number' },
      bound,
      notification_webhook_ids: { type: 'array', items: uuid, maxItems: maxWebhookIds },
    },
    required: ['name', 'enabled', 'threshold', 'bound', 'notification_webhook_ids'],
  },
} as const;

export const alertFiredSchema = {
  type: 'object',
  properties: alertFiredProperties,
  required: [
    'alert_id',
    'workspace_id',
    'fired_at',
    'alert_rule_id',
    'model_id',
    'model_name',
    'metric_value',
  ],
} as const;

export type AlertFired = FromSchema<typeof alertFiredSchema>;
export type Bound = NonNullable<AlertFired['bound']>;
export type AlertState = (typeof alertStates)[number];

/**
 * Creates a function that checks and normalizes a parsed alert message. The function returns at most 20 errors and
 * never throws.
 */
export function createAlertFiredCheck(): Check<AlertFired> {
  const check = createCheck<AlertFired>(alertFiredSchema);
  return (value, options) => {
    const bad = findInvalidText(value);
    if (bad !== undefined) return { ok: false, errors: [bad] };
    const checked = check(value, options);
    if (!checked.ok) return checked;
    return { ok: true, value: normalised(checked.value) };
  };
}

/** Returns a key that identifies an alert. Messages with equal keys belong to the same alert. */
export function alertKey(alert: Pick<AlertFired, 'workspace_id' | 'alert_id'>): string {
  return `${alert.workspace_id}/${alert.alert_id}`;
}

/**
 * Normalizes a valid message. UUIDs become lower case, because ids are later compared as text. `fired_at` becomes UTC.
 * Repeated webhook ids are removed. Unknown members are removed too, because parsed values can take thirty times the
 * bytes of the message and many alerts wait in memory.
 */
function normalised(alert: AlertFired): AlertFired {
  const lower = (id: string) => id.toLowerCase();
  return {
    ...knownOf(alert, alertFiredProperties),
    alert_id: lower(alert.alert_id),
    workspace_id: lower(alert.workspace_id),
    alert_rule_id: lower(alert.alert_rule_id),
    model_id: lower(alert.model_id),
    fired_at: toUtc(alert.fired_at),
    ...(alert.alert_rule && {
      alert_rule: {
        ...knownOf(alert.alert_rule, alertFiredProperties.alert_rule.properties),
        notification_webhook_ids: [...new Set(alert.alert_rule.notification_webhook_ids.map(lower))],
      },
    }),
  };
}

function knownOf<T extends object>(value: T, properties: object): T {
  const known: Record<string, unknown> = {};
  for (const name in properties) if (Object.hasOwn(value, name)) known[name] = value[name as keyof T];
  return known as T;
}

/**
 * Converts a time to UTC and keeps all digits of its fraction. A JavaScript Date would keep only milliseconds, but
 * monitors in Python, for example, send microseconds.
 */
function toUtc(time: string): string {
  if (time.endsWith('Z')) return time;
  const [seconds, fraction, offset] = [time.slice(0, 19), time.slice(19, -6), time.slice(-6)];
  return new Date(seconds + offset).toISOString().replace('.000', fraction);
}
