import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryDue } from '@tocsin/contracts';
import type { Logger } from '@tocsin/kit';
import type { DatabaseRetry } from '../database-retry.js';
import type { Slots } from '../slots/slots.js';
import type { DispatchMetrics } from './dispatch-metrics.js';
import type { Candidate, DispatchRepository } from './dispatch-repository.js';
import { createPutBackTimer } from './put-back-timer.js';
import { takeTurns } from './take-turns.js';
import type { Window } from './window.js';

export interface DispatcherDeps {
  repository: DispatchRepository;
  window: Window;
  /** Messages ready in the deliveries queue; throws where the broker is away. */
  queueDepth: () => Promise<number>;
  /** Publishes; the deliveries that the broker has not confirmed. */
  publish: (deliveries: DeliveryDue[]) => Promise<DeliveryDue[]>;
  databaseRetry: DatabaseRetry;
  slots: Pick<Slots, 'queueQuota' | 'setBacklog'>;
  metrics: DispatchMetrics;
  logger: Logger;
  signal: AbortSignal;
}

const busyPauseMs = 50;
const idlePauseMs = 250;
/** A webhook that is being probed has one delivery in the queue at a time. */
const probes = 1;

/**
 * One loop for first sending under load, retries, redelivery by hand, lost messages and killed workers: takes what is
 * due in fair turns, marks it queued with a lease, and publishes it while the window has room. Every worker runs one;
 * rows locked by another are passed over. Ends when the signal is aborted.
 */
export async function runDispatcher(deps: DispatcherDeps): Promise<void> {
  const { logger, signal } = deps;
  const putBack = createPutBackTimer(() => performance.now());
  while (!signal.aborted) {
    let isBusy = false;
    let ok = true;
    const startedAtMs = performance.now();
    try {
      if (putBack.isDue()) {
        await putBackExpired(deps);
        putBack.done();
      }
      isBusy = await dispatchOnce(deps);
    } catch (err) {
      ok = false;
      logger.warn({ err }, 'dispatch.postponed');
    }
    putBack.roundEnded({ ok, tookMs: performance.now() - startedAtMs });
    const pauseMs = (isBusy ? busyPauseMs : idlePauseMs) * (0.75 + Math.random() / 2);
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}

/** True where something was queued: more may be due. Where there was room for nothing, looking again at once is idle work. */
async function dispatchOnce({
  repository,
  window,
  queueDepth,
  publish,
  databaseRetry,
  slots,
  logger,
}: DispatcherDeps): Promise<boolean> {
  // Asked first: while the broker is away nothing is marked that could not be published.
  const messages = await queueDepth();
  const { byWebhook: queuedByWebhook, unclaimed: ready } = await repository.queued();
  const candidates = await repository.survey(surveyLimit(window));
  const backlogged = new Set(candidates.map((candidate) => candidate.webhookId));
  window.observe({ ready, queuedByWebhook, backlogged });
  slots.setBacklog(candidates);
  const contenders = candidates.map((candidate) => limit(candidate, queuedByWebhook, slots));
  const quotas = [...takeTurns(contenders, window.room())].map(([contender, quota]) => ({
    contender,
    quota,
  }));
  if (quotas.length === 0) return false;
  const due = await repository.queue(quotas);
  const unconfirmed = await publish(due);
  // Else they would wait for their lease to run out.
  if (unconfirmed.length > 0) await databaseRetry.whileUnavailable(() => repository.unqueue(unconfirmed));
  logger.debug({ queued: due.length, unconfirmed: unconfirmed.length, ready, messages }, 'dispatch.queued');
  return due.length > 0;
}

function limit(candidate: Candidate, queued: Map<string, number>, slots: DispatcherDeps['slots']): Candidate {
  const share = candidate.probing ? probes : slots.queueQuota(candidate);
  const left = Math.max(0, share - (queued.get(candidate.webhookId) ?? 0));
  return { ...candidate, due: Math.min(candidate.due, left) };
}

/** Counting further than could be queued would be idle work. */
function surveyLimit(window: Window): number {
  return Math.max(1, window.room());
}

async function putBackExpired({ repository, logger, metrics }: DispatcherDeps): Promise<void> {
  const count = await repository.putBackExpired();
  if (count === 0) return;
  metrics.putBack(count);
  logger.warn({ count }, 'dispatch.put_back_expired');
}
