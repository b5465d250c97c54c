import { randomUUID } from 'node:crypto';
import type { Alert, Delivery } from '@tocsin/contracts';
import { ensurePartitions } from '@tocsin/database';
import fc from 'fast-check';
import { otherWorkspaceId, startApi, type TestApi, workspaceId } from './support/api.js';
import { seedAlert, seedDelivery } from './support/history.js';
import { readAll } from './support/paging.js';

const dayMs = 86_400_000;
const days = 45;
const nowMs = Date.now();
const numRuns = 50;
const workspace = `/api/v1/workspaces/${workspaceId}`;

/** Ids of two webhooks. `quiet` has no deliveries in the last three weeks. */
const [busy, quiet] = [randomUUID(), randomUUID()];
const rules = [randomUUID(), randomUUID()];
const outcomes = ['dispatched', 'no_webhooks'];
const statusCodes = [200, 404, 500];
const models = [randomUUID(), randomUUID(), randomUUID()];
const errorCodes = [null, 'timeout', 'http_status'];
/** Labels that are assigned to the alerts in rotation. */
const labels = [null, { team: 'risk' }, { team: 'risk', region: 'eu:west' }, { team: 'fraud', region: '' }];
const states = ['succeeded', 'failed', 'skipped', 'waiting', 'queued', 'sending'] as const;

interface Fact {
  id: string;
  webhook_id: string;
  alert_id: string;
  alert_rule_id: string;
  status: string;
  status_code: number;
  error_code: string | null;
  model_id: string;
  labels: Record<string, string> | null;
  acceptedAtMs: number;
}

let api: TestApi;
const facts: Fact[] = [];
const alerts: (Pick<Fact, 'alert_id' | 'alert_rule_id' | 'model_id' | 'labels' | 'acceptedAtMs'> & {
  outcome: string;
})[] = [];

beforeAll(async () => {
  api = await startApi();
  for (let back = 8; back <= days + 8; back += 8) await ensurePartitions(api.database, nowMs - back * dayMs);
  // Half of the deliveries are from the last six days. An alert and its deliveries have the same millisecond.
  for (let index = 0; index < 60; index += 1) {
    const acceptedAtMs = nowMs - 60_000 - Math.floor((index / 60) ** 3 * days * dayMs);
    const alert = {
      alertId: randomUUID(),
      alertRuleId: rules[index % 2]!,
      modelId: models[index % 3]!,
      labels: labels[index % 4]!,
      acceptedAtMs,
    };
    const outcome = outcomes[index % 3 === 0 ? 1 : 0]!;
    await seedAlert(api.database, { ...alert, outcome });
    alerts.push({
      alert_id: alert.alertId,
      alert_rule_id: alert.alertRuleId,
      model_id: alert.modelId,
      labels: alert.labels,
      outcome,
      acceptedAtMs,
    });
    const isOld = acceptedAtMs < nowMs - 21 * dayMs;
    for (const webhookId of [busy, isOld ? quiet : randomUUID(), randomUUID()])
      await seedFact(alert, webhookId);
    await seedDelivery(api.database, { ...alert, workspaceId: otherWorkspaceId, webhookId: busy });
  }
});
afterAll(() => api.close());

async function seedFact(
  alert: {
    alertId: string;
    alertRuleId: string;
    modelId: string;
    labels: Fact['labels'];
    acceptedAtMs: number;
  },
  webhookId: string,
): Promise<void> {
  const index = facts.length;
  const status = states[(index * 7) % states.length]!;
  const statusCode = statusCodes[(index * 5) % statusCodes.length]!;
  const errorCode = errorCodes[(index * 11) % errorCodes.length]!;
  const isOpen = status === 'waiting' || status === 'queued' || status === 'sending';
  const open = {
    state: status === 'waiting' ? status : 'queued',
    claimed_by: status === 'sending' ? randomUUID() : null,
  };
  const seed = { ...alert, webhookId, statusCode, errorCode };
  const id = await seedDelivery(
    api.database,
    isOpen ? { ...seed, status: 'open', open } : { ...seed, status },
  );
  facts.push({
    id,
    webhook_id: webhookId,
    alert_id: alert.alertId,
    alert_rule_id: alert.alertRuleId,
    status,
    status_code: statusCode,
    error_code: errorCode,
    model_id: alert.modelId,
    labels: alert.labels,
    acceptedAtMs: alert.acceptedAtMs,
  });
}

const daysAgo = fc.integer({ min: 0, max: days * 24 }).map((hours) => hours / 24);
const time = daysAgo.map((ago) => new Date(nowMs - ago * dayMs).toISOString());
const paging = { since: time, until: time, limit: fc.integer({ min: 15, max: 100 }) };

type Query = Record<string, string | number | string[]>;

const matches = (
  fact: { acceptedAtMs: number; labels: Fact['labels'] },
  { since, until, limit: _, label = [], ...filter }: Query,
): boolean =>
  (since === undefined || fact.acceptedAtMs >= Date.parse(String(since))) &&
  (until === undefined || fact.acceptedAtMs < Date.parse(String(until))) &&
  [label].flat().every((text) => hasLabel(fact.labels, String(text))) &&
  Object.entries(filter).every(([name, value]) => fact[name as keyof typeof fact] === value);

const hasLabel = (of: Fact['labels'], label: string) =>
  Object.entries(of ?? {}).some(([name, value]) => `${name}:${value}` === label);

const toPath = (list: string, query: Query) => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  return `${workspace}/${list}?${new URLSearchParams(pairs)}`;
};

/** Sets of one or two labels to filter by. Such a filter is allowed only with a `since` within the last 31 days. */
const label = fc.uniqueArray(fc.constantFrom('team:risk', 'team:fraud', 'region:eu:west', 'region:', 'a:b'), {
  minLength: 1,
  maxLength: 2,
});
const withSince = {
  since: daysAgo.filter((ago) => ago <= 31).map((ago) => new Date(nowMs - ago * dayMs).toISOString()),
};

const totalOf = async (path: string) =>
  (await api.call('GET', `${path}&count=true`, { as: 'reader' })).headers.get('x-total-count');

/** Expects that the list and its total have exactly the matching deliveries, newest first. */
async function expectMatchingDeliveries(asked: Parameters<typeof matches>[1]) {
  const path = toPath('deliveries', asked);
  const read = await readAll<Delivery>(api, path);
  const expected = facts.filter((fact) => matches(fact, asked)).map(({ id }) => id);
  expect(read.entries.map(({ id }) => id)).toEqual(expected.sort().reverse());
  expect(await totalOf(path)).toBe(`${expected.length}`);
  return read;
}

test('paging a long history finds exactly the matching deliveries, newest first', async () => {
  const query = fc.record(
    {
      webhook_id: fc.constantFrom(busy, quiet, randomUUID()),
      alert_id: fc.integer({ min: 0, max: 59 }).map((index) => alerts[index]!.alert_id),
      alert_rule_id: fc.constantFrom(...rules),
      status: fc.constantFrom(...states),
      status_code: fc.constantFrom(...statusCodes),
      ...paging,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const { entries, pages } = await expectMatchingDeliveries(asked);
      expect(pages).toBe(Math.max(1, Math.ceil(entries.length / (asked.limit ?? 50))));
      if (asked.status !== undefined)
        expect(entries.every(({ status }) => status === asked.status)).toBe(true);
    }),
    { numRuns },
  );
});

test('deliveries of a long history are found by label, model and error code', async () => {
  const query = fc.record(
    {
      label,
      model_id: fc.constantFrom(...models, randomUUID()),
      error_code: fc.constantFrom('timeout', 'http_status', 'expired'),
      webhook_id: fc.constantFrom(busy, quiet),
      alert_id: fc.integer({ min: 0, max: 59 }).map((index) => alerts[index]!.alert_id),
      status: fc.constantFrom(...states),
      ...paging,
      ...withSince,
    },
    { requiredKeys: ['since'] },
  );
  await fc.assert(
    fc.asyncProperty(query, async (asked) => void (await expectMatchingDeliveries(asked))),
    { numRuns },
  );
});

test('alerts of a long history are found by label and model', async () => {
  const query = fc.record(
    {
      label,
      model_id: fc.constantFrom(...models),
      outcome: fc.constantFrom(...outcomes),
      ...paging,
      ...withSince,
    },
    { requiredKeys: ['since'] },
  );
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const { entries } = await readAll<Alert>(api, toPath('alerts', asked));
      const expected = alerts.filter((alert) => matches(alert, asked));
      expect(entries.map(({ alert_id: id }) => id)).toEqual(expected.map(({ alert_id: id }) => id));
      expect(await totalOf(toPath('alerts', asked))).toBe(`${expected.length}`);
    }),
    { numRuns },
  );
});

test('paging a long history finds exactly the matching alerts, newest first', async () => {
  const query = fc.record(
    { alert_rule_id: fc.constantFrom(...rules), outcome: fc.constantFrom(...outcomes), ...paging },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const { entries } = await readAll<Alert>(api, toPath('alerts', asked));
      const expected = alerts.filter((alert) => matches(alert, asked));
      expect(entries.map(({ alert_id: id }) => id)).toEqual(expected.map(({ alert_id: id }) => id));
    }),
    { numRuns },
  );
});

test('one page finds the few old deliveries of a webhook that is no longer used', async () => {
  const own = facts.filter(({ webhook_id: id }) => id === quiet).map(({ id }) => id);
  expect(own.length).toBeGreaterThan(3);
  const { entries, pages } = await readAll<Delivery>(api, `${workspace}/deliveries?webhook_id=${quiet}`);
  expect([entries.map(({ id }) => id), pages]).toEqual([own.sort().reverse(), 1]);
});
