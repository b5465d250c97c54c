import { isUtf8 } from 'node:buffer';
import {
  type AlertFired,
  alertKey,
  type Checked,
  type DeadLetterReason,
  requestIdHeader,
} from '@tocsin/contracts';
import type { Logger } from '@tocsin/kit';
import type { Incoming } from '@tocsin/messaging';
import { createBatches } from '../batcher.js';
import type { Window } from '../dispatch/window.js';
import type { WorkerMetrics } from '../metrics.js';
import type { Patience } from '../patience.js';
import { commitSplitting } from '../split-bad-rows.js';
import type { DeadLetterRepository } from './dead-letter-repository.js';
import {
  alertRecordId,
  deliveryRecordId,
  type FanOutRepository,
  type PlannedAlert,
} from './fan-out-repository.js';
import { type ResolvedAlert, resolveAlert } from './resolve-alert.js';
import type { RulesReader, TargetWebhook } from './rules-reader.js';
import { writeUntilAnswered } from './write-until-answered.js';

export interface FanOutDeps {
  check: (value: unknown) => Checked<AlertFired>;
  rules: RulesReader;
  repository: FanOutRepository;
  deadLetters: DeadLetterRepository;
  window: Window;
  /** Publishes deliveries that were just written as queued; failing is not lost, the dispatcher will do it. */
  publish: (deliveries: { deliveryId: string; generation: number }[]) => void;
  patience: Patience;
  logger: Logger;
  metrics: WorkerMetrics;
  queue: string;
  now: () => number;
}

/** An alert as it was taken from the queue. */
interface Taken {
  message: Incoming;
  alert: AlertFired;
  requestId: string | undefined;
}

type Accepted = { ok: true } | { ok: false; reason: DeadLetterReason; detail: string };

const maxAlertsInBatch = 200;

/**
 * What happens when an alert fires: its rule is resolved; alert, key and one row for each webhook are committed; the
 * message is acknowledged. What can never be processed is set aside with its reason, committed before its ack too.
 */
export function createFanOutAlert(deps: FanOutDeps): (message: Incoming) => undefined {
  const batches = createBatches<Taken>({
    run: (taken) => acceptAll(taken, deps),
    maxSize: maxAlertsInBatch,
    lanes: 2,
    onBatch: (size) => deps.metrics.batch('fan_out', size),
    turnOf: ({ alert }) => alert.workspace_id,
  });
  return (message) => {
    const parsed = parseMessage(message.content, deps.check);
    if (parsed.ok) batches.add({ message, alert: parsed.alert, requestId: requestIdOf(message) });
    else setAside(message, parsed, deps);
  };
}

async function acceptAll(taken: Taken[], deps: FanOutDeps): Promise<void> {
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
    for (const { message } of taken) message.failed(error);
  }
}

const saneId = /^[\w.~:/+=@-]{1,128}$/;

function requestIdOf({ headers }: Incoming): string | undefined {
  const id = headers[requestIdHeader];
  return typeof id === 'string' && saneId.test(id) ? id : undefined;
}

type ParsedMessage =
  | { ok: true; alert: AlertFired }
  | { ok: false; reason: DeadLetterReason; detail: string };

function parseMessage(content: Buffer, check: FanOutDeps['check']): ParsedMessage {
  let value: unknown;
  try {
    value = JSON.parse(textOf(content));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    return {
      ok: false,
      reason: 'malformed_message',
      detail: `The message is not JSON: ${why}`.slice(0, 500),
    };
  }
  const checked = check(value);
  if (checked.ok) return { ok: true, alert: checked.value };
  const detail = checked.faults.map(({ path, message }) => `${path || 'The message'} ${message}`).join('; ');
  return { ok: false, reason: 'invalid_message', detail };
}

/** As a fatal TextDecoder reads it, byte order mark included, at a fraction of its cost. */
function textOf(content: Buffer): string {
  if (!isUtf8(content)) throw new Error('not UTF-8');
  const text = content.toString();
  return text.startsWith('\ufeff') ? text.slice(1) : text;
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

async function acceptBatch(taken: Taken[], deps: FanOutDeps): Promise<Accepted[]> {
  const acceptedAtMs = deps.now();
  const resolved = await resolveBatch(taken, deps.rules);
  const targets = await findTargets(resolved, deps.rules);
  const planned = firstOfEachKey(resolved).map((alert) =>
    plan({ alert, targets, acceptedAtMs, window: deps.window }),
  );
  announce(planned, await writeUntilAnswered(planned, acceptedAtMs, deps), deps);
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

/** (workspace_id, alert_id) twice in a batch is the same alert; the first wins. */
function firstOfEachKey(resolved: (ResolvedAlert | undefined)[]): ResolvedAlert[] {
  const byKey = new Map<string, ResolvedAlert>();
  for (const entry of resolved) {
    if (entry === undefined) continue;
    const key = alertKey(entry.alert);
    if (!byKey.has(key)) byKey.set(key, entry);
  }
  return [...byKey.values()];
}

interface PlanInput {
  alert: ResolvedAlert;
  targets: Map<string, TargetWebhook>;
  acceptedAtMs: number;
  window: Window;
}

function plan({ alert: resolved, targets, acceptedAtMs, window }: PlanInput): PlannedAlert {
  const { alert } = resolved;
  return {
    resolved,
    recordId: alertRecordId(acceptedAtMs, alert.workspace_id, alert.alert_id),
    deliveries: resolved.webhookIds.map((webhookId) => {
      const found = targets.get(webhookId);
      // A rule may name a webhook that is gone or another workspace's: its record will say so, and nothing is sent.
      const webhook = found?.workspaceId === alert.workspace_id ? found : undefined;
      return {
        id: deliveryRecordId(acceptedAtMs, alert, webhookId),
        webhookId,
        webhookName: webhook?.name ?? '',
        destination: webhook?.destination ?? '',
        queued: webhook?.held !== true && window.take(webhookId),
      };
    }),
  };
}

function announce(
  planned: PlannedAlert[],
  written: Set<string>,
  { publish, window, logger, metrics }: FanOutDeps,
): void {
  const due: { deliveryId: string; generation: number }[] = [];
  for (const { resolved, recordId, deliveries } of planned) {
    for (const { id, webhookId, queued } of deliveries) {
      if (!queued) continue;
      if (written.has(id)) due.push({ deliveryId: id, generation: 1 });
      else window.giveBack(webhookId);
    }
    const { alert, outcome, requestId } = resolved;
    const { alert_id, workspace_id, alert_rule_id } = alert;
    const ids = { request_id: requestId, alert_id, workspace_id, alert_rule_id };
    if (!written.has(recordId)) {
      // Its key was taken: counted and told when it was first seen.
      logger.debug(ids, 'alert.repeated');
      continue;
    }
    metrics.alertFannedOut({ outcome, webhooks: deliveries.length });
    logger.info({ ...ids, outcome, webhooks: deliveries.length }, 'alert.fanned_out');
  }
  if (due.length > 0) publish(due);
}
