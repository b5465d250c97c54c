import { encodePipelineMarker, pipelineMarkerKey } from '@tocsin/contracts';
import type { OpenDeliveriesKey } from '@tocsin/deliveries';
import { createLogger, type Tracing } from '@tocsin/kit';
import type { QueueMessage } from '@tocsin/messaging';
import { testSecretBox } from '@tocsin/testing/database';
import { createDatabaseRetry } from '../../src/database-retry.js';
import { createWindow } from '../../src/dispatch/window.js';
import { createFanOut } from '../../src/fan-out/fan-out.js';
import type { PlannedAlert, ResolvedAlert } from '../../src/fan-out/plan.js';
import type { RegisteredRule, TargetWebhook } from '../../src/fan-out/rules-reader.js';
import { createSlots } from '../../src/slots/slots.js';

const logger = createLogger({ service: 'test', level: 'silent' });
export const workspaceId = '11111111-1111-4111-8111-111111111111';
export const rule = '22222222-2222-4222-8222-222222222222';
export const otherWorkspaceId = '33333333-3333-4333-8333-333333333333';
export const otherRule = '44444444-4444-4444-8444-444444444444';
const workspaceOf = (id: string) => (id === otherRule ? otherWorkspaceId : workspaceId);

interface Registered {
  rule?: (id: string) => RegisteredRule | undefined;
  webhook?: (id: string) => TargetWebhook | undefined;
  tracing?: Tracing;
  /** Number of slots of the worker. */
  total?: number;
}

const mapOf = <T>(ids: string[], find: (id: string) => T | undefined) =>
  new Map(ids.flatMap((id) => [find(id)].flatMap((found) => (found ? [[id, found] as const] : []))));

/** Creates a fan-out. By default each rule has one webhook, whose id is the id of the rule. */
export function startFanOut(
  write: (names: string[]) => void | Promise<void> = () => {},
  { rule: ruleWith = ruleOf, webhook: webhookWith = webhookOf, tracing, total = 80 }: Registered = {},
) {
  const wanted: object[] = [];
  const refreshed: OpenDeliveriesKey[] = [];
  const counted: unknown[] = [];
  const resolved: ResolvedAlert[] = [];
  const settled: string[] = [];
  const writes: string[][] = [];
  const marks: (number | undefined)[] = [];
  const opened: number[] = [];
  const unprocessable: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const slots = createSlots({ total, now: () => performance.now() });
  const fanOut = createFanOut({
    rules: {
      async find({ ruleIds, webhookIds }) {
        wanted.push({ ruleIds, webhookIds });
        const rules = mapOf(ruleIds, ruleWith);
        const ofRules = [...rules.values()].flatMap((found) => found.webhookIds);
        const webhooks = mapOf([...ofRules, ...webhookIds], webhookWith);
        return { rules, webhooks, nowMs: Date.now() };
      },
    },
    repository: {
      async write(alerts: PlannedAlert[], { markedAtMs }: { markedAtMs: number | undefined }) {
        marks.push(markedAtMs);
        resolved.push(...alerts.map((planned) => planned.resolved));
        const names = alerts.map((planned) => planned.resolved.alert.model_name);
        await write(names);
        writes.push(names);
        return { ids: new Set<string>(), suppressed: new Set<string>(), claimedAtMs: 0 };
      },
    },
    claims: { claim: async () => [] },
    settle(message, outcome) {
      if (outcome.kind === 'unprocessable') unprocessable.push(outcome.reason);
      if (outcome.kind === 'error') message.retry(outcome.error);
      else message.ack();
    },
    window: createWindow({
      now: () => performance.now(),
      queueQuota: slots.queueQuota,
      responsivenessOf: slots.responsivenessOf,
      slots: 80,
    }),
    processor: { start() {}, acquireAtWrite: slots.acquireAtWrite },
    slots,
    publish: async () => 0,
    onWaiting() {},
    openDeliveries: {
      refresh: async (keys) => void refreshed.push(...keys),
      workspaceFill: () => 0,
      webhookFill: () => 0,
      writing() {},
      written: (webhooks) => void opened.push([...webhooks].length),
    },
    databaseRetry: createDatabaseRetry({ logger, signal }),
    secretBox: testSecretBox,
    logger,
    tracing,
    metrics: {
      batch: (...batch) => counted.push(batch),
      alertFannedOut() {},
      recorded() {},
      webhookOverQuota() {},
    },
    signal,
  });
  const receive = (name: string, content: string | Buffer, source: Partial<QueueMessage> = {}) =>
    fanOut.handle({
      content: Buffer.from(content as string),
      queue: 'alert-fired',
      routingKey: 'alert.fired',
      requestId: undefined,
      traceparent: undefined,
      publisher: undefined,
      redelivered: false,
      isReturned: () => false,
      ack: () => settled.push(`${name} acknowledged`),
      retry: (error) => settled.push(`${name} ${error}`),
      ...source,
    });
  const fire = (name: string, workspace = workspaceId, source: Partial<QueueMessage> = {}) =>
    receive(name, JSON.stringify(alertOf(name, workspace)), source);
  const mark = (atMs: number) =>
    receive('marker', encodePipelineMarker(atMs), { routingKey: pipelineMarkerKey });
  const seen = { settled, unprocessable, writes, marks, opened, wanted, refreshed, counted, resolved };
  return { receive, fire, mark, stopping, ...seen };
}

let alerts = 0;

export function alertOf(name: string, workspace: string) {
  alerts += 1;
  return {
    alert_id: `00000000-0000-4000-8000-${String(alerts).padStart(12, '0')}`,
    workspace_id: workspace,
    fired_at: '2026-01-02T03:04:05Z',
    alert_rule_id: workspace === workspaceId ? rule : otherRule,
    model_id: workspaceId,
    model_name: name,
    metric_value: 1,
  };
}

export function ruleOf(id: string): RegisteredRule {
  return {
    id,
    workspaceId: workspaceOf(id),
    name: id,
    threshold: 1,
    bound: 'upper_bound',
    enabled: true,
    deleted: false,
    silenced: false,
    hasCooldown: false,
    webhookIds: [id],
  };
}

export function webhookOf(id: string): TargetWebhook {
  return {
    id,
    workspaceId: workspaceOf(id),
    name: id,
    destination: '',
    version: 1,
    enabled: true,
    retryOnTimeout: true,
    mustWait: false,
  };
}
