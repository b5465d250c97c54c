import {
  type AlertFired,
  alertFiredKey,
  alertKey,
  createAlertFiredCheck,
  decodePipelineMarker,
  pipelineMarkerKey,
} from '@tocsin/contracts';
import { classifyDatabaseError } from '@tocsin/database';
import { decryptPublisher, type OpenDeliveriesKey } from '@tocsin/deliveries';
import { createBatcher, type Span, type Tracing, uniqueBy } from '@tocsin/kit';
import { type QueueMessage, unroutedQueue } from '@tocsin/messaging';
import type { MessageOutcome, Unprocessable } from '../dead-letters/dead-letters.js';
import { createAdmissionControl, type PlannedDeliveries } from './admission-control.js';
import type { FanOutDeps } from './fan-out-deps.js';
import { namedWorkspace, parseMessage } from './parse-message.js';
import { openOf, planAlert, type ResolvedAlert, resolveAlert } from './plan.js';
import type { TargetWebhook } from './rules-reader.js';
import { writeAlerts } from './write-alerts.js';

export interface FanOut {
  handle(message: QueueMessage): void;
  /** Number of messages that wait for a batch. */
  waiting(): number;
  /** Removes the waiting messages, and settles each one with the error. Batches in progress are completed. */
  rejectWaiting(error: Error): void;
}

/** A message that waits for a batch. */
interface Received {
  message: QueueMessage;
  /** Time of a pipeline marker in Unix milliseconds; undefined for an alert. */
  markedAtMs?: number;
}

/**
 * A message of a batch with one of three results: its parsed alert, the time of its pipeline marker, or the reason why
 * it becomes a dead letter.
 */
interface Parsed extends Received {
  alert?: AlertFired;
  /** Present if the message is not a valid alert. */
  unprocessable?: Unprocessable;
}

/**
 * Number of consecutive timeouts after which the batcher rejects an alert. They are counted only while the alert is
 * alone in its batch. The consumer then processes the message of the rejected alert again later.
 */
const maxTimeouts = 3;
const maxAlertsInBatch = 200;

/**
 * Accepts alerts in batches: parses the messages, reads the rules of the alerts, plans a delivery for each webhook, and
 * commits alerts and deliveries together. The messages are settled after the commit. Messages are parsed only with
 * their batch, because a parsed alert needs more memory than its message, and up to 40,000 messages wait.
 */
export function createFanOut(deps: FanOutDeps): FanOut {
  const { settle, signal } = deps;
  const check = createAlertFiredCheck();
  const parse = (received: Received): Parsed => {
    if (received.markedAtMs !== undefined) return received;
    const parsed = parseMessage(received.message.content, check);
    return parsed.kind === 'alert'
      ? { ...received, alert: parsed.alert }
      : { ...received, unprocessable: parsed };
  };
  const admission = createAdmissionControl({ slots: deps.slots, now: () => performance.now() });
  const batches = createBatcher<Received, MessageOutcome>({
    run(received) {
      const onPlanned = admission.reserve(received.length);
      // This call ends the reservation of a batch that failed before its deliveries were planned. It has no effect for
      // other batches, because they have ended their reservation already.
      return acceptBatch(received.map(parse), deps, onPlanned).finally(() =>
        onPlanned({ written: 0, open: 0 }),
      );
    },
    maxSize: maxAlertsInBatch,
    concurrency: 2,
    maxNextBatch: admission.maxNextBatch,
    keyOf: ({ message, markedAtMs }) =>
      markedAtMs === undefined ? namedWorkspace(message.content) : pipelineMarkerKey,
    // All alerts of a batch have the same time of acceptance, so their rows belong to the partitions of one day. If
    // such a partition is missing, every alert fails, and splitting the batch would not help.
    failsWholeBatch: (error) => ['unavailable', 'missing_partition'].includes(classifyDatabaseError(error)),
    // A timeout is usually not caused by the alert itself, so the alert is retried here after a short backoff. After
    // the third timeout, or another error, the consumer processes its message again after a backoff of up to 5 s. If
    // the database has rejected a value, the message becomes a dead letter instead.
    retryItem: (received, { error, failures }) =>
      classifyDatabaseError(error) === 'timeout' && failures < maxTimeouts ? received : undefined,
    signal,
    onSettled: ({ message }, end) =>
      settle(message, end.status === 'fulfilled' ? end.value : { kind: 'error', error: end.reason }),
  });
  const stopped = new Error('The worker is stopping.');
  signal.addEventListener('abort', () => batches.rejectWaiting(stopped), { once: true });
  return {
    handle(message) {
      if (signal.aborted) return message.retry(stopped);
      if (message.routingKey === pipelineMarkerKey) {
        const markedAtMs = decodePipelineMarker(message.content);
        return markedAtMs === undefined
          ? settle(message, unrouted(message))
          : batches.add({ message, markedAtMs });
      }
      if (isUnrouted(message)) return settle(message, unrouted(message));
      batches.add({ message });
    },
    waiting: batches.waiting,
    rejectWaiting: batches.rejectWaiting,
  };
}

/**
 * Returns true if a message comes from the queue of unroutable messages and is not an alert. Alerts arrive in that
 * queue while the binding of the queue of alerts is missing. In the queue of alerts itself, an alert with another
 * routing key is accepted: a message that is published through the default exchange has the queue's name as its routing
 * key.
 */
function isUnrouted({ queue, routingKey }: QueueMessage): boolean {
  return queue === unroutedQueue && routingKey !== alertFiredKey;
}

function unrouted({ routingKey }: QueueMessage): Unprocessable {
  const detail = `It was published with the routing key ${routingKey}; alerts are published with ${alertFiredKey}.`;
  return { kind: 'unprocessable', reason: 'unrouted', detail };
}

async function acceptBatch(
  received: Parsed[],
  deps: FanOutDeps,
  onPlanned: (planned: PlannedDeliveries) => void,
): Promise<MessageOutcome[]> {
  const { rules, databaseRetry, secretBox, openDeliveries, window, processor, metrics, tracing } = deps;
  // The database provides the time of acceptance, because a worker with a wrong clock would write to partitions of
  // other days.
  const found = await databaseRetry.retryWhileUnavailable(() => rules.find(wantedBy(received)));
  const acceptedAtMs = found.nowMs;
  const resolved = received.map(({ alert, message }) => {
    const entry = alert && resolveAlert(alert, found.rules.get(alert.alert_rule_id));
    return (
      entry && {
        ...entry,
        requestId: message.requestId,
        publishedBy: decryptPublisher(message.publisher, entry.alert, secretBox),
        span: tracing && startSpan(message, entry, tracing),
      }
    );
  });
  // Messages with the same workspace and alert id are the same alert. Only the first one of a batch is kept.
  const alerts = uniqueBy(
    resolved.filter((entry) => entry !== undefined),
    ({ alert }) => alertKey(alert),
  );
  await databaseRetry.retryWhileUnavailable(() => openDeliveries.refresh(webhooksOf(alerts, found.webhooks)));
  const { acquireAtWrite } = processor;
  const { webhooks } = found;
  const options = { webhooks, acceptedAtMs, openDeliveries, window, acquireAtWrite };
  const planned = alerts.map((alert) => planAlert(alert, options));
  const open = openOf(planned);
  onPlanned({
    written: planned.reduce((sum, { deliveries }) => sum + deliveries.length, 0),
    open: open.length,
  });
  try {
    await writeAlerts(planned, { acceptedAtMs, markedAtMs: newestMarker(received) }, deps);
  } finally {
    openDeliveries.written(open);
  }
  const count = received.filter(({ alert }) => alert !== undefined).length;
  if (count > 0) metrics.batch('fan_out', count);
  return received.map(({ alert, unprocessable }, index) => {
    if (unprocessable !== undefined) return unprocessable;
    return alert !== undefined && resolved[index] === undefined ? unknownRule(alert) : { kind: 'processed' };
  });
}

/** Starts the span of an alert. If its batch is repeated, each repetition starts a span of its own. */
function startSpan({ traceparent, queue }: QueueMessage, { alert }: ResolvedAlert, tracing: Tracing): Span {
  return tracing.startSpan('fan out alert', {
    kind: 'consumer',
    parent: traceparent,
    attributes: {
      'messaging.system': 'rabbitmq',
      'messaging.operation.type': 'process',
      'messaging.destination.name': queue,
      'tocsin.alert_id': alert.alert_id,
      'tocsin.alert_rule_id': alert.alert_rule_id,
      'tocsin.workspace_id': alert.workspace_id,
    },
  });
}

/**
 * Returns the ids of the rules to read, and the ids of the webhooks that are named by rules in messages. The rule in a
 * message is used only if no rule with its id was registered.
 */
function wantedBy(received: Parsed[]) {
  const embedded = received.flatMap(({ alert }) => alert?.alert_rule?.notification_webhook_ids ?? []);
  return {
    ruleIds: [...new Set(received.flatMap(({ alert }) => alert?.alert_rule_id ?? []))],
    webhookIds: [...new Set(embedded)],
  };
}

function newestMarker(received: Parsed[]): number | undefined {
  const times = received.flatMap(({ markedAtMs }) => markedAtMs ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Returns the workspace and the webhook of each open delivery that the alerts may create. The counts of open deliveries
 * are refreshed for these pairs. For an alert whose webhooks do not exist, only its workspace is returned.
 */
function webhooksOf(alerts: ResolvedAlert[], webhooks: Map<string, TargetWebhook>): OpenDeliveriesKey[] {
  return alerts.flatMap(({ alert: { workspace_id: workspaceId }, webhookIds }) => {
    if (webhookIds.length === 0) return [];
    const known = webhookIds.filter((id) => webhooks.get(id)?.workspaceId === workspaceId);
    return known.length > 0 ? known.map((webhookId) => ({ workspaceId, webhookId })) : [{ workspaceId }];
  });
}

function unknownRule({ alert_rule_id: rule, workspace_id: workspace }: AlertFired): Unprocessable {
  const detail = `No alert rule ${rule} is known in workspace ${workspace}.`;
  return { kind: 'unprocessable', reason: 'unknown_alert_rule', detail };
}
