import { isDatabaseUnavailable } from '@tocsin/database';
import type { WebhookInWorkspace } from '@tocsin/deliveries';
import { createLogThrottle, type Logger, sleep, uniqueBy, type WakeableSleep } from '@tocsin/kit';
import { type ClaimRepository, newClaimToken } from '../delivery/claim-repository.js';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { WorkerLease } from '../lease/worker-lease.js';
import type { Slots } from '../slots/slots.js';
import type { DispatchMetrics } from './dispatch-metrics.js';
import type { Candidate, ScanResult } from './due-reader.js';
import { createDueScan, type DueScan } from './due-scan.js';
import type { PublishDeliveries } from './publish-deliveries.js';
import type { QueueRepository } from './queue-repository.js';
import { allocatePlaces } from './round-robin.js';
import type { Window } from './window.js';

export interface DispatchDeps {
  repository: QueueRepository;
  window: Window;
  /** Resolves to the number of messages ready in the queue of deliveries. Rejects if the broker is unavailable. */
  queueDepth: () => Promise<number>;
  publish: PublishDeliveries;
  claims: Pick<ClaimRepository, 'claimLimited'>;
  startLimited: (claimed: ClaimedDelivery) => void;
  /** Number of expired deliveries of rate-limited webhooks that this worker has claimed and not recorded yet. */
  expiredInFlight: () => number;
  slots: Pick<Slots, 'queueQuota' | 'setBacklog' | 'responsivenessOf'>;
  /** Number of alerts in this worker that wait for a batch of the fan-out. */
  alertsWaiting: () => number;
  /**
   * Called if a statement of the dispatcher fails because the database is unavailable. A statement whose reply was lost
   * may have marked rows as queued, and this worker does not publish these rows. `claimToken` is the token of a
   * statement that may have claimed deliveries, which this worker does not start.
   */
  replyLost: (claimToken?: string) => void;
  /**
   * Returns false while the keys of this worker do not decrypt the canary, and while the worker's writes to the
   * database have been failing for at least 10 s.
   */
  mayDispatch: () => boolean;
  /**
   * `leads` returns true while this worker is the leader, the one that dispatches for all workers. Every worker calls
   * `setMayLead` before each delay of its dispatcher: with true if it can dispatch, and otherwise with false, so that
   * another worker can become the leader.
   */
  lease: Pick<WorkerLease, 'leads' | 'workers' | 'setMayLead'>;
  /**
   * Waits until the next pass if no delivery is open and only one worker is running. The wait ends early when this
   * worker writes a waiting delivery.
   */
  idleSleep: WakeableSleep['sleep'];
  metrics: Pick<DispatchMetrics, 'dispatchPassed'>;
  logger: Logger;
  /** Signal that is aborted when the worker stops. */
  signal: AbortSignal;
}

/** Delays between two passes, in milliseconds. All have 25 % jitter. */
const delaysMs = {
  /**
   * The shortest delay, which limits the database load. It follows a pass that queued nothing while workspaces remain
   * to be visited, and a pass that needed 40 ms or more to publish. It is also used while workers claim deliveries
   * faster than passes queue them.
   */
  min: 10,
  /** Used while there are deliveries to queue, to postpone or to start, and while the dispatcher has no free place. */
  busy: 50,
  /**
   * Used after a pass that found nothing to do and reached the last workspace. Also used after a failure, while the
   * worker may not dispatch, and while several workers run and no delivery is open.
   */
  idle: 250,
  /**
   * Used while no delivery is open and only one worker is running. This delay ends early when this worker writes a
   * waiting delivery, but not when another worker does.
   */
  empty: 1_000,
};
/**
 * Maximum number of queued deliveries of a webhook whose pause has ended, in addition to expired ones, which end without
 * a request: one request probes the destination.
 */
const probeQuota = 1;
/**
 * Maximum number of deliveries of paused webhooks that a pass postpones. If these deliveries are in at most 16
 * workspaces (`fewVisits`), nothing is postponed, because a pass visits so few workspaces in little time.
 */
const maxPostponed = 500;
const fewVisits = 16;

/**
 * Queues waiting deliveries that are due: retries, redeliveries, a backlog, and deliveries of a worker that died. Each
 * pass marks rows as queued, round robin by workspace and webhook, until a sixth of the window is filled, and
 * publishes them. Deliveries of webhooks with a rate limit are claimed and started instead. Only the leader makes
 * passes. Two leaders at the same time are harmless, because a pass skips rows that another one has locked.
 */
export async function runDispatcher(deps: DispatchDeps): Promise<void> {
  const { repository, lease, logger, signal } = deps;
  const scan = createDueScan(repository);
  // Every worker tries again four times a second while the broker or the database is unavailable.
  const logThrottled = createLogThrottle({ everyMs: 60_000 });
  let delayMs = delaysMs.busy;
  let hasFailed = false;
  while (!signal.aborted) {
    const wasIdle = delayMs >= delaysMs.idle;
    delayMs = delaysMs.idle;
    const mayDispatch = deps.mayDispatch();
    try {
      if (mayDispatch) {
        if (!lease.leads()) delayMs = await follow(hasFailed, deps);
        else if (wasIdle && !(await repository.hasOpen())) delayMs = observeNothing(deps);
        else delayMs = await dispatchOnce(scan, deps);
        hasFailed = false;
      }
    } catch (err) {
      hasFailed = true;
      if (isDatabaseUnavailable(err)) deps.replyLost();
      logThrottled((count) => logger.warn({ err, count }, 'dispatch.postponed'));
    }
    lease.setMayLead(mayDispatch && !hasFailed);
    const wait = delayMs === delaysMs.empty ? deps.idleSleep : sleep;
    await wait(delayMs * (0.75 + Math.random() / 2), signal);
  }
}

/**
 * Updates the window of a worker that is not the leader. Resolves to the delay before the next call, in milliseconds.
 */
async function follow(hasFailed: boolean, deps: DispatchDeps): Promise<number> {
  // After a failure, `queueDepth` tests the broker. It rejects while the broker is unavailable, and this worker then
  // still cannot dispatch.
  if (hasFailed) await deps.queueDepth();
  const { window } = deps;
  const wanted = window.takeWanted();
  // If the last count found no unclaimed row, the queued rows are counted again only after this worker has requested a
  // place, so that idle workers do not query the database.
  if (wanted.length === 0 && window.isEmpty()) {
    observeNothing(deps);
    return delaysMs.idle;
  }
  const { queued, backlogged } = await observeQueue(wanted, deps);
  deps.slots.setBacklog(
    uniqueBy<WebhookInWorkspace>([...queued, ...backlogged], ({ webhookId }) => webhookId),
  );
  return delaysMs.busy;
}

function observeNothing({ window, slots, lease }: DispatchDeps): number {
  window.observe({
    unclaimed: 0,
    queuedByWebhook: new Map(),
    backlogged: new Set(),
    workers: lease.workers(),
  });
  slots.setBacklog([]);
  return lease.workers() === 1 ? delaysMs.empty : delaysMs.idle;
}

async function observeQueue(wanted: WebhookInWorkspace[], { repository, window, lease }: DispatchDeps) {
  const { webhooks: queued, unclaimed, backlogged } = await repository.queued(wanted);
  const queuedByWebhook = new Map(queued.map((webhook) => [webhook.webhookId, webhook.queued]));
  window.observe({
    unclaimed,
    queuedByWebhook,
    backlogged: new Set(backlogged.map(({ webhookId }) => webhookId)),
    workers: lease.workers(),
  });
  return { queued, queuedByWebhook, backlogged, unclaimed };
}

/** Resolves to the delay before the next pass, in milliseconds. */
async function dispatchOnce(scan: DueScan, deps: DispatchDeps): Promise<number> {
  const { repository, window, queueDepth, publish, slots, alertsWaiting, metrics, logger } = deps;
  metrics.dispatchPassed();
  // `queueDepth` rejects if the broker is unavailable. The pass then ends before it marks rows that cannot be
  // published.
  const [messages, seen] = await Promise.all([queueDepth(), observeQueue(window.takeWanted(), deps)]);
  const { queued, queuedByWebhook, unclaimed } = seen;
  const freePlaces = window.freeDispatchPlaces();
  if (freePlaces === 0) return delaysMs.busy;

  const found = await scan.next(freePlaces);
  slots.setBacklog(
    uniqueBy<WebhookInWorkspace>([...queued, ...found.candidates], ({ webhookId }) => webhookId),
  );
  const candidates = found.candidates.map((candidate) => applyQuota(candidate, queuedByWebhook, slots));
  const places = allocatePlaces(candidates, {
    freePlaces: window.freeDispatchPlaces(),
    maxUnresponsive:
      alertsWaiting() < manyAlerts ? window.freeDispatchPlaces() : unresponsiveWhileBusy(window),
    isResponsive: ({ webhookId }) => slots.responsivenessOf(webhookId) === 'responsive',
  });
  scan.markServed({ ...found, candidates }, places);
  const hasPostponed = await postponeMany(found, deps);
  if (found.hasLimited) await claimAndStartLimited(places, deps);
  const queueable = [...places].filter(([candidate]) => !candidate.limited);
  if (queueable.length > 0) {
    const queuedNow = await repository.queue(
      queueable.map(([candidate, count]) => ({ candidate, places: count })),
    );
    const queuedAtMs = performance.now();
    const unconfirmed = await publish(queuedNow);
    logger.debug({ queued: queuedNow.length, unconfirmed, unclaimed, messages }, 'dispatch.queued');
    // Workers claim faster than passes queue if two conditions are true: few deliveries in the queue were unclaimed
    // before this pass, and the pass filled more than half of the free places. The next pass then follows soon, so
    // that the workers do not become idle.
    const isBehind = queuedNow.length > freePlaces / 2 && unclaimed < freePlaces / 2;
    const delayMs = isBehind ? delaysMs.min : delaysMs.busy - (performance.now() - queuedAtMs);
    if (queuedNow.length > 0) return Math.max(delaysMs.min, delayMs);
  }
  if (hasPostponed || found.hasLimited) return delaysMs.busy;
  return found.isPartial ? delaysMs.min : delaysMs.idle;
}

/** A worker counts as busy while at least this number of alerts waits in it: one full batch of the fan-out. */
const manyAlerts = 200;
/**
 * While this worker is busy, the number of places for webhooks that are not responsive is limited. In each pass, all
 * these webhooks together get at most this fraction of the number of attempts that all workers record in 50 ms, the
 * usual time between passes. The limit is never below `minWhileBusy`.
 */
const busyPart = 1 / 4;
const minWhileBusy = 16;

function unresponsiveWhileBusy(window: Pick<Window, 'perSecond'>): number {
  return Math.max(minWhileBusy, Math.ceil((window.perSecond() * busyPart * delaysMs.busy) / 1_000));
}

function applyQuota(
  candidate: Candidate,
  queued: Map<string, number>,
  slots: DispatchDeps['slots'],
): Candidate {
  const quota = candidate.probing ? probeQuota + candidate.expired : slots.queueQuota(candidate);
  const left = Math.max(0, quota - (queued.get(candidate.webhookId) ?? 0));
  return { ...candidate, due: Math.min(candidate.due, left) };
}

/**
 * Maximum number of expired deliveries of rate-limited webhooks in flight: one batch of records. Thousands can expire
 * at the same time, and the outcomes of other deliveries are recorded behind them.
 */
const maxExpiredInFlight = 300;

/**
 * Claims and starts deliveries of webhooks with a rate limit. They do not pass through the queue, because the claim
 * takes a request from the limit, and the request must then start at once.
 */
async function claimAndStartLimited(
  places: Map<Candidate, number>,
  { claims, startLimited, expiredInFlight, replyLost, logger, signal }: DispatchDeps,
): Promise<void> {
  const webhooks = [...places]
    .filter(([candidate]) => candidate.limited)
    .map(([{ workspaceId, webhookId }, count]) => ({ workspaceId, webhookId, places: count }));
  if (webhooks.length === 0 || signal.aborted) return;
  const token = newClaimToken();
  const maxExpired = maxExpiredInFlight - expiredInFlight();
  const claimed = await claims.claimLimited(webhooks, { token, maxExpired }).catch((err) => {
    if (isDatabaseUnavailable(err)) replyLost(token);
    throw err;
  });
  for (const delivery of claimed) startLimited(delivery);
  logger.debug({ claimed: claimed.length }, 'dispatch.limited_started');
}

/**
 * Postpones due deliveries of paused webhooks if they are in more than 16 of the visited workspaces. Without the
 * postponement, every pass would visit these workspaces and find nothing to queue. Resolves to false if there are too
 * few such workspaces.
 */
async function postponeMany({ paused }: ScanResult, { repository }: DispatchDeps): Promise<boolean> {
  if (new Set(paused.map(({ workspaceId }) => workspaceId)).size <= fewVisits) return false;
  const webhooks = paused.slice(0, maxPostponed);
  await repository.postpone(webhooks, Math.max(1, Math.floor(maxPostponed / webhooks.length)));
  return true;
}
