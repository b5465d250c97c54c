import { type AlertFired, alertFiredKey, alertKey, type Checked } from '@tocsin/contracts';
import { classifyDatabaseError } from '@tocsin/database';
import { createBatcher } from '@tocsin/kit';
import { type QueueMessage, unroutedQueue } from '@tocsin/messaging';
import type { BatchMetrics } from '../batch-metrics.js';
import type { DatabaseRetry } from '../database-retry.js';
import type { SettleMessage, Unprocessable } from '../dead-letters/dead-letters.js';
import type { Slots } from '../slots/slots.js';
import { uniqueBy } from '../unique-by.js';
import { type AnnounceDeps, announce } from './announce.js';
import type { FanOutMetrics } from './fan-out-metrics.js';
import type { FanOutRepository } from './fan-out-repository.js';
import { createIdleRules, type IdleRules } from './idle-rules.js';
import { createPace, type Pace } from './pace.js';
import { parseMessage } from './parse-message.js';
import { giveBack, planAlert } from './plan.js';
import { resolveAlert } from './resolve-alert.js';
import type { RulesReader } from './rules-reader.js';
import { writeUntilAnswered } from './write-until-answered.js';

export interface FanOutDeps extends AnnounceDeps {
  check: (value: unknown) => Checked<AlertFired>;
  rules: RulesReader;
  repository: FanOutRepository;
  settle: SettleMessage;
  slots: Pick<Slots, 'freeAtWrite' | 'responsivenessOf'>;
  acquireAtWrite: Slots['acquireAtWrite'];
  databaseRetry: DatabaseRetry;
  metrics: FanOutMetrics & BatchMetrics;
}

export interface FanOutAlert {
  handle(message: QueueMessage): void;
  /** What waits fails with `error`; what is being written goes on. */
  rejectWaiting(error: Error): void;
  /** The same, now and from now on. */
  refuseWaiting(error: Error): void;
}

/** An alert as it was taken from the queue. */
interface Taken {
  message: QueueMessage;
  alert: AlertFired;
  requestId: string | undefined;
}

type Accepted = { kind: 'processed' } | Unprocessable;

const maxAlertsInBatch = 200;
/** Of alerts that set nothing off at once. */
const gatherIdleMs = 50;

/**
 * What happens when an alert fires: its rule is resolved; alert, key and one row for each webhook are committed; the
 * message is acknowledged. What can never be processed is set aside with its reason, committed before its ack too.
 */
export function createFanOutAlert(deps: FanOutDeps): FanOutAlert {
  let refusal: Error | undefined;
  const pace = createPace({ slots: deps.slots, now: () => performance.now() });
  const idleRules = createIdleRules(deps.slots);
  const accept = (taken: Taken[], planned: BatchDeps['planned']) =>
    // Nothing is kept for what failed before it was planned.
    acceptBatch(taken, { ...deps, idleRules, planned }).finally(() => planned(0));
  const common = {
    maxSize: maxAlertsInBatch,
    onBatch: (size: number) => deps.metrics.batch('fan_out', size),
    keyOf: ({ alert }: Taken) => alert.workspace_id,
    concurrency: 2,
    failsWholeBatch: (error: unknown) =>
      ['unavailable', 'missing_partition'].includes(classifyDatabaseError(error)),
    onSettled: (taken: Taken, end: PromiseSettledResult<Accepted>) =>
      deps.settle(
        taken.message,
        end.status === 'fulfilled' ? end.value : { kind: 'error', error: end.reason },
      ),
  };
  const batches = createBatcher<Taken, Accepted>({
    ...common,
    run: (taken) => accept(taken, pace.taken(taken.length)),
    room: pace.room,
  });
  const idleBatches = createBatcher<Taken, Accepted>({
    ...common,
    // Few of these find a slot (a hold may have ended since), so none are kept for them.
    run: (taken) => accept(taken, () => {}),
    gatherMs: gatherIdleMs,
  });
  const add = (taken: Taken) => (idleRules.has(taken.alert.alert_rule_id) ? idleBatches : batches).add(taken);
  const rejectWaiting = (error: Error) => {
    batches.rejectWaiting(error);
    idleBatches.rejectWaiting(error);
  };
  return {
    handle(message) {
      if (refusal !== undefined) return void message.retry(refusal);
      if (isUnrouted(message)) return deps.settle(message, unrouted(message));
      const parsed = parseMessage(message.content, deps.check);
      if (parsed.kind === 'alert') add({ message, alert: parsed.alert, requestId: message.requestId });
      else deps.settle(message, parsed);
    },
    rejectWaiting,
    refuseWaiting(error) {
      refusal = error;
      rejectWaiting(error);
    },
  };
}

type BatchDeps = FanOutDeps & { idleRules: IdleRules; planned: ReturnType<Pace['taken']> };

/** An alert also comes that way while the binding of its own queue is away. */
function isUnrouted({ queue, routingKey }: QueueMessage): boolean {
  return queue === unroutedQueue && routingKey !== alertFiredKey;
}

function unrouted({ routingKey }: QueueMessage): Unprocessable {
  const detail = `It was published with the routing key ${routingKey}; alerts are published with ${alertFiredKey}.`;
  return { kind: 'unprocessable', reason: 'unrouted', detail };
}

async function acceptBatch(taken: Taken[], deps: BatchDeps): Promise<Accepted[]> {
  // The database's clock: by this worker's own, one that is wrong would write into days that are gone, or not there yet.
  const {
    rules,
    webhooks: targets,
    nowMs: acceptedAtMs,
  } = await deps.databaseRetry.whileUnavailable(() => deps.rules.find(wantedBy(taken)));
  const resolved = taken.map(({ alert, requestId }) => {
    const entry = resolveAlert(alert, rules.get(alert.alert_rule_id));
    return entry && { ...entry, requestId };
  });
  // (workspace_id, alert_id) twice in a batch is the same alert; the first wins.
  const known = resolved.filter((entry) => entry !== undefined);
  const alerts = uniqueBy(known, ({ alert }) => alertKey(alert));
  const plans = alerts.map((alert) => planAlert(alert, { ...deps, targets, acceptedAtMs }));
  deps.idleRules.observe(plans);
  const deliveries = plans.flatMap((plan) => plan.deliveries);
  deps.planned(deliveries.length);
  try {
    announce(plans, await writeUntilAnswered(plans, acceptedAtMs, deps), deps);
  } catch (error) {
    for (const target of deliveries) giveBack(target, deps.window);
    throw error;
  }
  return resolved.map((entry, index) =>
    entry === undefined ? unknownRule(taken[index]!.alert) : { kind: 'processed' },
  );
}

function unknownRule({ alert_rule_id: rule, workspace_id: workspace }: AlertFired): Accepted {
  const detail = `No alert rule ${rule} is known in workspace ${workspace}.`;
  return { kind: 'unprocessable', reason: 'unknown_alert_rule', detail };
}

/** An alert may bring a rule of its own, which counts where none is registered. */
function wantedBy(taken: Taken[]) {
  return {
    ruleIds: [...new Set(taken.map(({ alert }) => alert.alert_rule_id))],
    webhookIds: [...new Set(taken.flatMap(({ alert }) => alert.alert_rule?.notification_webhook_ids ?? []))],
  };
}
