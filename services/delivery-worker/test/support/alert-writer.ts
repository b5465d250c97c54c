import { createLogger, type Logger } from '@tocsin/kit';
import { createDatabaseRetry } from '../../src/database-retry.js';
import type { ClaimedDelivery } from '../../src/delivery/claimed-delivery.js';
import type { Window } from '../../src/dispatch/window.js';
import type { FanOutDeps } from '../../src/fan-out/fan-out-deps.js';
import type { PlannedAlert, PlannedDelivery } from '../../src/fan-out/plan.js';
import { writeAlerts } from '../../src/fan-out/write-alerts.js';

interface Response {
  ids: string[];
  suppressed?: string[];
}

interface Given {
  states?: Record<string, PlannedDelivery['state']>;
  /** Fields of the alert in addition to its ids. */
  alert?: object;
  span?: boolean;
  alerts?: 'none';
  markedAtMs?: number;
  /** Result of the claim that follows a lost reply: the ids of the claimed deliveries, or the error to throw. */
  claims?: string[] | Error;
}

export const threeStates = { ours: 'claimed', any: 'queued', later: 'waiting' } as const;

/**
 * Writes an alert with the deliveries in `given.states`. By default the delivery `ours` is claimed, `any` is queued and
 * `later` is waiting. Each write takes the next entry of `responses`: an error to throw, the ids of the written rows,
 * or these ids together with the ids of the suppressed alerts.
 */
export async function writeAlert(responses: (Error | string[] | Response)[], given: Given = {}) {
  const tries: { acceptedAtMs: number; token: string; markedAtMs?: number | undefined }[] = [];
  const claimedBy: string[] = [];
  const sent: ClaimedDelivery[] = [];
  const published: string[] = [];
  const releasedSlots: string[] = [];
  let wakes = 0;
  const releasedPlaces: string[] = [];
  const metrics: unknown[] = [];
  const logged: unknown[] = [];
  const spanEnds: unknown[] = [];
  const planned = (id: string, state: PlannedDelivery['state']) => ({
    id,
    state,
    webhookId: `webhook of ${id}`,
    webhook: { version: 7, enabled: true, retryOnTimeout: false },
    slot: state === 'claimed' ? { release: () => releasedSlots.push(id) } : undefined,
  });
  const span = { traceparent: '00-trace', end: (options: unknown) => spanEnds.push(options) };
  const alert = {
    resolved: {
      alert: { workspace_id: 'ws', alert_id: 'a', alert_rule_id: 'r', ...given.alert },
      ruleName: 'Rule',
      threshold: 0.4,
      bound: 'upper_bound',
      outcome: 'dispatched',
      ...(given.span && { span, requestId: 'req' }),
    },
    recordId: 'alert',
    deliveries: Object.entries(given.states ?? threeStates).map(([id, state]) => planned(id, state)),
  } as unknown as PlannedAlert;
  const log = (level: string) => (fields: object, event: string) => void logged.push([level, event, fields]);
  const logger = Object.fromEntries(['debug', 'info', 'success', 'warn'].map((level) => [level, log(level)]));
  const silent = createLogger({ service: 'test', level: 'silent' });
  const deps = {
    repository: {
      async write(_: PlannedAlert[], as: (typeof tries)[number]) {
        tries.push(as);
        const response = responses.shift()!;
        if (response instanceof Error) throw response;
        const { ids, suppressed = [] } = Array.isArray(response) ? { ids: response } : response;
        return { ids: new Set(ids), suppressed: new Set(suppressed), claimedAtMs: 30_000 };
      },
    },
    claims: {
      async claim(due, token) {
        claimedBy.push(token);
        expect(due).toEqual([{ deliveryId: 'ours', run: 1 }]);
        const { claims = [] } = given;
        if (claims instanceof Error) throw claims;
        return claims.map((deliveryId) => ({ deliveryId }) as ClaimedDelivery);
      },
    },
    databaseRetry: createDatabaseRetry({ logger: silent, signal: new AbortController().signal }),
    processor: { start: (claimed) => sent.push(claimed), acquireAtWrite: () => undefined },
    publish: async (due) => {
      expect(due).toEqual([{ deliveryId: 'any', run: 1 }]);
      return published.push('any');
    },
    onWaiting() {
      wakes += 1;
    },
    window: { release: (webhookId: string) => releasedPlaces.push(webhookId) } as unknown as Window,
    logger: logger as unknown as Logger,
    metrics: {
      alertFannedOut: (fields) => metrics.push(fields),
      batch() {},
      recorded: (outcome) => metrics.push(outcome),
      webhookOverQuota: () => metrics.push('over quota'),
    },
  } satisfies Partial<FanOutDeps>;
  const failure = await writeAlerts(
    given.alerts === 'none' ? [] : [alert],
    { acceptedAtMs: 1_000, markedAtMs: given.markedAtMs },
    deps,
  ).catch((error: unknown) => error);
  const released = { releasedSlots, releasedPlaces };
  return { tries, claimedBy, sent, published, ...released, wakes, metrics, logged, spanEnds, failure };
}
