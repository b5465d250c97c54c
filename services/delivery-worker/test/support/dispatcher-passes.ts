import type { DeliveryDue } from '@tocsin/contracts';
import { type Logger, sleep } from '@tocsin/kit';
import type { ClaimedDelivery } from '../../src/delivery/claimed-delivery.js';
import { type DispatchDeps, runDispatcher } from '../../src/dispatch/dispatcher.js';
import type { Candidate, ScanResult } from '../../src/dispatch/due-reader.js';
import type { QueueState } from '../../src/dispatch/window.js';

const { jest } = import.meta;

/** Creates the scan result for a webhook with one due delivery. */
export const candidateOf = (webhookId: string, changes: Partial<Candidate> = {}): Candidate => ({
  workspaceId: 'w',
  webhookId,
  due: 1,
  isFromScan: true,
  probing: false,
  expired: 0,
  limited: false,
  queueBy: new Date(0),
  ...changes,
});

/** State of the dependencies of a dispatcher. By default this worker leads, and nothing is due. */
export interface Setting {
  candidates?: Candidate[];
  paused?: ScanResult['paused'];
  /** Number of queued deliveries by webhook. */
  queued?: Record<string, number>;
  quota?: number;
  freePlaces?: number;
  alertsWaiting?: number;
  perSecond?: number;
  responsive?: boolean;
  isPartial?: boolean;
  /** Number of deliveries that the dispatcher's statement marks as queued. Default: the sum of the places. */
  found?: number;
  /** Error of the broker in each pass; undefined for a pass without an error. */
  brokerErrors?: (Error | undefined)[];
  mayDispatch?: boolean;
  /** Results of the calls of `hasOpen`, in order. All further calls resolve to true. */
  open?: boolean[];
  /** If true, `idleSleep` ends at once, as if this worker had written a waiting delivery. */
  wakes?: boolean;
  hasLimited?: boolean;
  /** Error of the statement that marks rows as queued. */
  queueError?: Error;
  leads?: boolean;
  workers?: number;
  /** Result of `window.isEmpty`: false while deliveries are in the queue. Default: true. */
  isEmpty?: boolean;
  /** Webhooks for which fan-out requests a place in the queue before each pass. */
  wanted?: string[];
  /** Number of queued rows that no worker has claimed. */
  unclaimed?: number;
  /** Error of the statement that reads the queued rows in each pass; undefined for a pass without an error. */
  queuedErrors?: (Error | undefined)[];
  expiredInFlight?: number;
  /** Error of each call of `claimLimited`. */
  claimError?: Error;
  /** Result of each call of `claimLimited`. Default: no deliveries. */
  claims?: ClaimedDelivery[];
  /** Time that publishing takes, in milliseconds. */
  publishMs?: number;
  /** Value of `Math.random`, which determines the jitter of each delay. Default: 0.5, which means no jitter. */
  random?: number;
}

/** A dispatcher that waits for more timers than this is considered endless, and the test fails. */
const maxTimers = 300;

/**
 * Runs the passes of one dispatcher with a fake clock. Returns the calls of its dependencies with their arguments, the
 * times between the starts of the passes, and the log.
 */
export async function run(passes: number, setting: Setting = {}) {
  jest.useFakeTimers();
  jest.spyOn(Math, 'random').mockReturnValue(setting.random ?? 0.5);
  const { candidates = [], paused = [], queued = {}, quota = 1_000, freePlaces = 100, found } = setting;
  const { alertsWaiting = 0, perSecond = 0, responsive = true, isPartial = false } = setting;
  const stop = new AbortController();
  const calls: string[] = [];
  const startsMs: number[] = [];
  const backlogs: string[][] = [];
  const places: Record<string, number>[] = [];
  const published: DeliveryDue[][] = [];
  const postponed: { webhooks: string[]; limit: number }[] = [];
  const observed: QueueState[] = [];
  const mayLead: boolean[] = [];
  const logged: string[] = [];
  const logFields: unknown[] = [];
  const limited: { webhooks: object[]; token: string; maxExpired: number }[] = [];
  const lostClaims: string[] = [];
  const started: ClaimedDelivery[] = [];
  const webhookIdsOf = (webhooks: Iterable<{ webhookId: string }>) =>
    Array.from(webhooks, ({ webhookId }) => webhookId);
  const startPass = () => {
    startsMs.push(performance.now());
    if (startsMs.length === passes) stop.abort();
  };
  const repository: DispatchDeps['repository'] = {
    async findWorkspaces() {
      return { workspaceIds: ['w'], next: isPartial ? 'w' : undefined };
    },
    async findWebhooks() {
      calls.push('scan');
      return {
        candidates,
        paused,
        hasLimited: setting.hasLimited === true,
        scannedTo: new Map([['w', undefined]]),
      };
    },
    async postpone(webhooks, limit) {
      postponed.push({ webhooks: webhookIdsOf(webhooks), limit });
    },
    async hasOpen() {
      const open = setting.open?.shift() ?? true;
      if (!open) {
        calls.push('empty');
        startPass();
      }
      return open;
    },
    async queued(wanted) {
      calls.push('queued');
      const error = setting.queuedErrors?.shift();
      if (error !== undefined) throw error;
      const webhooks = Object.entries(queued).map(([webhookId, count]) => ({
        workspaceId: 'w',
        webhookId,
        queued: count,
      }));
      return { webhooks, unclaimed: setting.unclaimed ?? 7, backlogged: wanted };
    },
    async queue(webhooks) {
      calls.push('queue');
      places.push(
        Object.fromEntries(webhooks.map(({ candidate, places: count }) => [candidate.webhookId, count])),
      );
      if (setting.queueError !== undefined) throw setting.queueError;
      const given = webhooks.reduce((sum, webhook) => sum + webhook.places, 0);
      return Array.from({ length: found ?? given }, (_, index) => ({ deliveryId: `d${index}`, run: 1 }));
    },
    async unqueue() {},
  };
  const log = (fields: unknown, event: string) => {
    logged.push(event);
    logFields.push(fields);
  };
  let isRunning = true;
  const running = runDispatcher({
    repository,
    window: {
      acquire: () => true,
      release() {},
      freePlaces: () => freePlaces,
      isEmpty: () => setting.isEmpty !== false,
      freeDispatchPlaces: () => freePlaces,
      perSecond: () => perSecond,
      finished() {},
      takeWanted: () => (setting.wanted ?? []).map((webhookId) => ({ workspaceId: 'w', webhookId })),
      observe: (seen) => void observed.push(seen),
    },
    async queueDepth() {
      calls.push('depth');
      startPass();
      const error = setting.brokerErrors?.shift();
      if (error !== undefined) throw error;
      return 9;
    },
    async publish(due) {
      calls.push('publish');
      published.push(due);
      if (setting.publishMs !== undefined) await sleep(setting.publishMs);
      return 2;
    },
    claims: {
      async claimLimited(webhooks, options) {
        calls.push('claim limited');
        limited.push({ webhooks, ...options });
        if (setting.claimError !== undefined) throw setting.claimError;
        return setting.claims ?? [];
      },
    },
    startLimited: (claimed) => void started.push(claimed),
    expiredInFlight: () => setting.expiredInFlight ?? 0,
    slots: {
      queueQuota: () => quota,
      setBacklog(webhooks) {
        backlogs.push(webhookIdsOf(webhooks));
      },
      responsivenessOf: () => (responsive ? 'responsive' : 'unknown'),
    },
    replyLost(claimToken) {
      calls.push('reply lost');
      if (claimToken !== undefined) lostClaims.push(claimToken);
    },
    mayDispatch() {
      if (setting.mayDispatch !== false) return true;
      startPass();
      return false;
    },
    alertsWaiting: () => alertsWaiting,
    idleSleep: (ms, signal) => (setting.wakes ? Promise.resolve() : sleep(ms, signal)),
    lease: {
      leads() {
        if (setting.leads === false) startPass();
        return setting.leads !== false;
      },
      workers: () => setting.workers ?? 1,
      setMayLead: (value) => void mayLead.push(value),
    },
    metrics: { dispatchPassed: () => void calls.push('pass') },
    logger: { warn: log, debug: log } as unknown as Logger,
    signal: stop.signal,
  }).finally(() => {
    isRunning = false;
  });
  for (let timers = 0; isRunning && timers < maxTimers; timers += 1)
    await jest.advanceTimersToNextTimerAsync();
  jest.useRealTimers();
  jest.restoreAllMocks();
  if (isRunning) throw new Error('The dispatcher did not stop.');
  await running;
  const delaysMs = startsMs.slice(1).map((startMs, index) => startMs - startsMs[index]!);
  const seen = { calls, delaysMs, backlogs, places, published, postponed, observed, mayLead };
  return { ...seen, logged, logFields, limited, started, lostClaims };
}

/** Creates `each` paused webhooks with due deliveries in each of `workspaces` workspaces. */
export const pausedIn = (workspaces: number, each = 1) =>
  Array.from({ length: workspaces * each }, (_, index) => ({
    workspaceId: `w${index % workspaces}`,
    webhookId: `h${index}`,
  }));
