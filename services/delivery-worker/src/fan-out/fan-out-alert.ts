import { type AlertFired, alertKey, type Checked, type DeadLetterReason } from '@tocsin/contracts';
import type { Incoming } from '@tocsin/messaging';
import { createBatches } from '../batcher.js';
import type { Slots } from '../delivery/slots.js';
import { oneOfEach } from '../one-of-each.js';
import type { Patience } from '../patience.js';
import { commitSplitting } from '../split-bad-rows.js';
import { type AnnounceDeps, announce } from './announce.js';
import type { DeadLetterRepository } from './dead-letter-repository.js';
import type { FanOutRepository } from './fan-out-repository.js';
import { createPace, type Pace } from './pace.js';
import { parseMessage, requestIdOf, type Unusable } from './parse-message.js';
import { giveBack, planAlert } from './plan.js';
import { type ResolvedAlert, resolveAlert } from './resolve-alert.js';
import type { RulesReader } from './rules-reader.js';
import { writeUntilAnswered } from './write-until-answered.js';

export interface FanOutDeps extends AnnounceDeps {
  check: (value: unknown) => Checked<AlertFired>;
  rules: RulesReader;
  repository: FanOutRepository;
  deadLetters: DeadLetterRepository;
  slots: Pick<Slots, 'takeEarly' | 'early'>;
  patience: Patience;
  queue: string;
  now: () => number;
}

export interface FanOutAlert {
  handle(message: Incoming): undefined;
  /** What waits fails with `error`, now and from now on; what is being written goes on. */
  refuseWaiting(error: Error): void;
}

/** An alert as it was taken from the queue. */
interface Taken {
  message: Incoming;
  alert: AlertFired;
  requestId: string | undefined;
}

type Accepted = { ok: true } | Unusable;

const maxAlertsInBatch = 200;

/**
 * What happens when an alert fires: its rule is resolved; alert, key and one row for each webhook are committed; the
 * message is acknowledged. What can never be processed is set aside with its reason, committed before its ack too.
 */
export function createFanOutAlert(deps: FanOutDeps): FanOutAlert {
  let refusal: Error | undefined;
  const pace = createPace({ slots: deps.slots, now: () => performance.now() });
  const batches = createBatches<Taken>({
    run: (taken) => acceptAll(taken, { ...deps, planned: pace.taken(taken.length) }),
    maxSize: maxAlertsInBatch,
    lanes: 2,
    onBatch: (size) => deps.metrics.batch('fan_out', size),
    turnOf: ({ alert }) => alert.workspace_id,
    room: pace.room,
  });
  return {
    handle(message) {
      if (refusal !== undefined) return void message.failed(refusal);
      const parsed = parseMessage(message.content, deps.check);
      if (parsed.ok) batches.add({ message, alert: parsed.alert, requestId: requestIdOf(message) });
      else setAside(message, parsed, deps);
    },
    refuseWaiting(error) {
      refusal = error;
      for (const { message } of batches.clear()) message.failed(error);
    },
  };
}

type BatchDeps = FanOutDeps & { planned: ReturnType<Pace['taken']> };

async function acceptAll(taken: Taken[], deps: BatchDeps): Promise<void> {
  try {
    const accepted = await commitSplitting(taken, {
      patience: deps.patience,
      commit: (batch) => acceptBatch(batch, deps),
      refused: async (_, error): Promise<Accepted> => ({
        ok: false,
        reason: 'invalid_message',
        detail: `The database refused it: ${error}`,
      }),
    });
    taken.forEach(({ message }, index) => {
      const end = accepted[index]!;
      if (end.ok) message.done();
      else setAside(message, end, deps);
    });
  } catch (error) {
    deps.planned(0);
    for (const { message } of taken) message.failed(error);
  }
}

/** Settles the message once it stands in the table of dead letters. */
function setAside(
  message: Incoming,
  { reason, detail }: { reason: DeadLetterReason; detail: string },
  { deadLetters, patience, logger, metrics, queue }: FanOutDeps,
): void {
  const { content, routingKey } = message;
  const requestId = requestIdOf(message);
  const add = () => deadLetters.add({ reason, detail, queue, routingKey, content, requestId });
  patience.untilAnswered(add).then(
    () => {
      metrics.deadLettered(reason);
      // The detail may quote the message, and stands with it in the table.
      logger.warn({ reason, bytes: content.length, request_id: requestId }, 'alert.dead_lettered');
      message.done();
    },
    (error: unknown) => message.failed(error),
  );
}

async function acceptBatch(taken: Taken[], deps: BatchDeps): Promise<Accepted[]> {
  const acceptedAtMs = deps.now();
  const resolved = await resolveBatch(taken, deps.rules);
  const targets = await findTargets(resolved, deps.rules);
  // (workspace_id, alert_id) twice in a batch is the same alert; the first wins.
  const known = resolved.filter((entry) => entry !== undefined);
  const alerts = oneOfEach(known, ({ alert }) => alertKey(alert));
  const plans = alerts.map((alert) => planAlert(alert, { ...deps, targets, acceptedAtMs }));
  const deliveries = plans.flatMap((plan) => plan.deliveries);
  deps.planned(deliveries.length);
  try {
    announce(plans, await writeUntilAnswered(plans, acceptedAtMs, deps), deps);
  } catch (error) {
    for (const target of deliveries) giveBack(target, deps.window);
    throw error;
  }
  return resolved.map((entry, index) =>
    entry === undefined ? unknownRule(taken[index]!.alert) : { ok: true },
  );
}

function unknownRule({ alert_rule_id: rule, workspace_id: workspace }: AlertFired): Accepted {
  const detail = `No alert rule ${rule} is known in workspace ${workspace}.`;
  return { ok: false, reason: 'unknown_alert_rule', detail };
}

async function resolveBatch(taken: Taken[], rules: RulesReader): Promise<(ResolvedAlert | undefined)[]> {
  const registered = await rules.findRules([...new Set(taken.map(({ alert }) => alert.alert_rule_id))]);
  const byId = new Map(registered.map((rule) => [rule.id, rule]));
  return taken.map(({ alert, requestId }) => {
    const resolved = resolveAlert(alert, byId.get(alert.alert_rule_id));
    return resolved && { ...resolved, requestId };
  });
}

async function findTargets(resolved: (ResolvedAlert | undefined)[], rules: RulesReader) {
  const ids = new Set(resolved.flatMap((entry) => entry?.webhookIds ?? []));
  const found = ids.size === 0 ? [] : await rules.findWebhooks([...ids]);
  return new Map(found.map((webhook) => [webhook.id, webhook]));
}
