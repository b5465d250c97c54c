import { type Logger, sleep } from '@tocsin/kit';
import type { Slots } from '../slots/slots.js';
import type { DispatchMetrics } from './dispatch-metrics.js';
import type { Candidate, DispatchRepository } from './dispatch-repository.js';
import type { PublishDeliveries } from './publish-deliveries.js';
import { allocateRoundRobin } from './round-robin.js';
import type { Window } from './window.js';

export interface DispatchDeps {
  repository: DispatchRepository;
  window: Window;
  /** Number of messages ready in the queue of deliveries. Throws if the broker is unavailable. */
  queueDepth: () => Promise<number>;
  publish: PublishDeliveries;
  slots: Pick<Slots, 'queueQuota' | 'setBacklog'>;
  /** False while this worker consumes nothing: it leaves the dispatch to workers that do. */
  mayDispatch: () => boolean;
  metrics: DispatchMetrics;
  logger: Logger;
  /** Aborted when the worker stops. */
  signal: AbortSignal;
}

const busyPauseMs = 50;
const idlePauseMs = 250;
/** A webhook whose pause is over gets one delivery in the queue, as a probe. */
const probeQuota = 1;

/**
 * Queues waiting deliveries that are due: retries, redeliveries, a backlog, and deliveries of a dead worker. Each round
 * marks rows as queued, round robin by workspace and webhook, as far as the window has room, and publishes them. Each
 * worker runs one dispatcher; rows that another one has locked are skipped.
 */
export async function runDispatcher(deps: DispatchDeps): Promise<void> {
  const { logger, signal } = deps;
  while (!signal.aborted) {
    let hasQueued = false;
    try {
      hasQueued = deps.mayDispatch() && (await dispatchOnce(deps));
    } catch (err) {
      logger.warn({ err }, 'dispatch.postponed');
    }
    // A round that queued nothing found a full window or nothing due, and an early next round would find the same.
    await sleep((hasQueued ? busyPauseMs : idlePauseMs) * (0.75 + Math.random() / 2), signal);
  }
}

async function dispatchOnce(deps: DispatchDeps): Promise<boolean> {
  const { repository, window, queueDepth, publish, slots, logger } = deps;
  // The broker is asked first, so that no row is marked while nothing can be published.
  const messages = await queueDepth();
  const { byWebhook: queuedByWebhook, unclaimed: ready } = await repository.queued();
  // Counting more rows of a webhook than could be queued would be wasted work.
  const candidates = await repository.survey(Math.max(1, window.room()));
  const backlogged = new Set(candidates.map((candidate) => candidate.webhookId));
  window.observe({ ready, queuedByWebhook, backlogged });
  slots.setBacklog(candidates);
  const contenders = candidates.map((candidate) => limit(candidate, queuedByWebhook, slots));
  const quotas = [...allocateRoundRobin(contenders, window.room())];
  if (quotas.length === 0) return false;
  const due = await repository.queue(quotas.map(([contender, quota]) => ({ contender, quota })));
  const unconfirmed = await publish(due);
  logger.debug({ queued: due.length, unconfirmed, ready, messages }, 'dispatch.queued');
  return due.length > 0;
}

function limit(candidate: Candidate, queued: Map<string, number>, slots: DispatchDeps['slots']): Candidate {
  const quota = candidate.probing ? probeQuota : slots.queueQuota(candidate);
  const left = Math.max(0, quota - (queued.get(candidate.webhookId) ?? 0));
  return { ...candidate, due: Math.min(candidate.due, left) };
}
