import type { DeliveryDue } from '@tocsin/contracts';
import { isDatabaseUnavailable } from '@tocsin/database';
import { failuresAtWrite, isFailureAtWrite } from '@tocsin/deliveries';
import { newClaimToken } from '../delivery/claim-repository.js';
import { type ClaimedDelivery, noEntries } from '../delivery/claimed-delivery.js';
import type { Slot } from '../slots/slots.js';
import type { FanOutDeps } from './fan-out-deps.js';
import { type PlannedAlert, type PlannedDelivery, releasePlanned } from './plan.js';

type WriteDeps = Pick<
  FanOutDeps,
  | 'repository'
  | 'claims'
  | 'databaseRetry'
  | 'processor'
  | 'publish'
  | 'onWaiting'
  | 'window'
  | 'logger'
  | 'metrics'
>;

interface Written {
  /**
   * Record ids of the alerts and open deliveries that this commit has written. After a lost reply: all record ids of
   * the batch, because any of its rows may have been written.
   */
  ids: ReadonlySet<string>;
  /** Record ids of the alerts that a cooldown suppressed. May contain alerts that a silence suppressed. */
  suppressed: ReadonlySet<string>;
  /** Claim token of the deliveries that were written as claimed. */
  token: string;
  claimedAtMs: number;
  /** False after a lost reply: an earlier call of this worker, or another worker, may have written the rows. */
  isCertain: boolean;
}

/** Times on the database's clock in Unix milliseconds. */
export interface WriteTimes {
  acceptedAtMs: number;
  /** Time of the newest pipeline marker among the messages of the batch. */
  markedAtMs: number | undefined;
}

/**
 * Writes alerts and their deliveries in one commit. It then starts the claimed deliveries, publishes the queued ones,
 * and notifies the dispatcher of waiting ones. If a start fails or the worker dies, the lease sweep releases the
 * deliveries later, and the dispatcher queues them again.
 */
export async function writeAlerts(alerts: PlannedAlert[], times: WriteTimes, deps: WriteDeps): Promise<void> {
  if (alerts.length === 0 && times.markedAtMs === undefined) return;
  let written: Written;
  try {
    written = await write(alerts, times, deps);
  } catch (error) {
    for (const { resolved, deliveries } of alerts) {
      resolved.span?.end({ error: 'The alert could not be written.' });
      for (const delivery of deliveries) releasePlanned(delivery, deps.window);
    }
    throw error;
  }
  for (const alert of alerts) reportAlert(alert, written, deps);
  startDeliveries(alerts, written, deps);
}

/**
 * Writes the rows. If the reply is lost, the statement is repeated, because it may not have been committed. If it was
 * committed, the repetition finds the keys of the alerts and writes nothing. After a repetition, all alerts of the
 * batch are treated as written, so that their queued deliveries are published; a queued row without a message would
 * wait until its lease expires. A second message for a row is harmless: its consumer finds nothing to claim.
 */
async function write(
  alerts: PlannedAlert[],
  times: WriteTimes,
  { repository, databaseRetry }: WriteDeps,
): Promise<Written> {
  const token = newClaimToken();
  let isCertain = true;
  const { ids, suppressed, claimedAtMs } = await databaseRetry.retryWhileUnavailable(async () => {
    try {
      return await repository.write(alerts, { ...times, token });
    } catch (error) {
      if (isDatabaseUnavailable(error)) isCertain = false;
      throw error;
    }
  });
  return { ids: isCertain ? ids : allIds(alerts), suppressed, token, claimedAtMs, isCertain };
}

function allIds(alerts: PlannedAlert[]): Set<string> {
  return new Set(alerts.flatMap(({ recordId, deliveries }) => [recordId, ...deliveries.map(({ id }) => id)]));
}

function reportAlert(
  { resolved, recordId, deliveries }: PlannedAlert,
  written: Written,
  { logger, metrics }: WriteDeps,
): void {
  const { alert, requestId } = resolved;
  const { alert_id, workspace_id, alert_rule_id } = alert;
  if (!written.ids.has(recordId)) {
    logger.debug({ request_id: requestId, alert_id, workspace_id, alert_rule_id }, 'alert.repeated');
    resolved.span?.end({ attributes: { 'tocsin.outcome': 'repeated' } });
    return;
  }
  const isSuppressed = written.suppressed.has(recordId);
  const outcome = isSuppressed ? 'suppressed' : resolved.outcome;
  const webhooks = isSuppressed ? 0 : deliveries.length;
  metrics.alertFannedOut({ outcome, webhooks });
  let failed = 0;
  for (const { state } of deliveries) {
    if (isSuppressed || !isFailureAtWrite(state)) continue;
    failed += 1;
    metrics.recorded({ kind: 'failed', failure: { code: state, error: failuresAtWrite[state] } });
    if (state === 'over_quota') metrics.webhookOverQuota();
  }
  resolved.span?.end({ attributes: { 'tocsin.outcome': outcome, 'tocsin.deliveries': webhooks } });
  logger[failed === 0 ? 'success' : 'info'](
    { request_id: requestId, alert_id, workspace_id, alert_rule_id, outcome, webhooks, failed },
    'alert.fanned_out',
  );
}

interface UncertainDelivery {
  due: DeliveryDue;
  slot: Slot;
}

function startDeliveries(alerts: PlannedAlert[], written: Written, deps: WriteDeps): void {
  const queued: DeliveryDue[] = [];
  const uncertain: UncertainDelivery[] = [];
  let hasWaiting = false;
  for (const alert of alerts) {
    for (const delivery of alert.deliveries) {
      const { id, slot, state } = delivery;
      const due = { deliveryId: id, run: 1 };
      if (!written.ids.has(id)) releasePlanned(delivery, deps.window);
      else if (state === 'queued') queued.push(due);
      else if (slot === undefined) hasWaiting ||= state === 'waiting';
      else if (written.isCertain) deps.processor.start(toClaimed(alert, delivery, written.claimedAtMs), slot);
      else uncertain.push({ due, slot });
    }
  }
  if (queued.length > 0) void deps.publish(queued);
  if (hasWaiting) deps.onWaiting();
  if (uncertain.length > 0) void claimAndStart(uncertain, written.token, deps);
}

/**
 * Claims and starts deliveries after a lost reply. Rows with the token were written by this worker, so this worker can
 * claim their deliveries. This worker also claims deliveries that another worker has written as queued, unless they are
 * claimed already. The slots of all other deliveries are released.
 */
async function claimAndStart(
  uncertain: UncertainDelivery[],
  token: string,
  { claims, databaseRetry, processor, logger }: WriteDeps,
): Promise<void> {
  const due = uncertain.map((entry) => entry.due);
  const claimed = await databaseRetry
    .retryWhileUnavailable(() => claims.claim(due, token))
    .catch((err) => logger.warn({ err }, 'fan_out.claim_failed'));
  const byId = new Map(claimed?.map((entry) => [entry.deliveryId, entry]));
  for (const { due, slot } of uncertain) {
    const ours = byId.get(due.deliveryId);
    if (ours === undefined) slot.release();
    else processor.start(ours, slot);
  }
}

/** Creates the claimed delivery from the plan, so that the written row need not be read. */
function toClaimed(
  { resolved }: PlannedAlert,
  { id, webhookId, webhook }: PlannedDelivery,
  claimedAtMs: number,
): ClaimedDelivery {
  const { alert, ruleName, threshold, bound, requestId, span } = resolved;
  return {
    deliveryId: id,
    run: 1,
    claim: 1,
    claimsWithoutOutcome: 1,
    step: 0,
    ageMs: 0,
    manual: false,
    workspaceId: alert.workspace_id,
    webhookId,
    requestId: requestId ?? null,
    traceparent: span?.traceparent ?? null,
    facts: {
      alert_id: alert.alert_id,
      alert_rule_id: alert.alert_rule_id,
      alert_rule_name: ruleName,
      model_id: alert.model_id,
      model_name: alert.model_name,
      metric_value: alert.metric_value,
      threshold,
      bound,
      is_test: alert.is_test ?? false,
      notice: null,
      fired_at: alert.fired_at,
      workspace_id: alert.workspace_id,
      state: alert.state ?? 'firing',
      labels: alert.labels ?? noEntries,
      annotations: alert.annotations ?? noEntries,
    },
    webhook,
    pause: undefined,
    claimedAtMs,
  };
}
