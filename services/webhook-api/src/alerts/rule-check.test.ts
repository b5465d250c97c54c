import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { noticeRules } from '@tocsin/deliveries';
import { createRuleCheck, resourcesIn } from './rule-check.js';
import type { RulesOfAlerts } from './rules-reader.js';

const { jest } = import.meta;

afterEach(() => void jest.restoreAllMocks());

const workspaceId = randomUUID();
// Titles of tests contain the ids `ownRule` and `webhookId`. These are constant, because mutation tests select tests by
// their titles.
const ownRule = '3b1f6a52-8d0e-4c4a-9a57-0f1c2d3e4f50';
const webhookId = '0c8f4f7e-2b55-4b55-9d4e-7a9f5d1e2c33';
const foreignRule = randomUUID();

function checkOf(stored: Partial<RulesOfAlerts> = {}) {
  const reads: { alertRuleIds: string[]; webhookIds: string[] }[] = [];
  const workspaceIds = { [ownRule]: workspaceId, [foreignRule]: randomUUID() };
  const { errorsOf } = createRuleCheck({
    findRules: async ({ alertRuleIds, webhookIds }) => {
      reads.push({ alertRuleIds, webhookIds });
      const found = Object.entries(workspaceIds).filter(([id]) => alertRuleIds.includes(id));
      return { workspaceIds: Object.fromEntries(found), knownWebhookIds: [webhookId], ...stored };
    },
  });
  const pathsOf = async (...named: Parameters<typeof errorsOf>[1]) =>
    (await errorsOf(workspaceId, named)).map((errors) => errors.map(({ path }) => path));
  return { reads, errorsOf, pathsOf };
}

const named = (alertRuleId: string, webhookIds?: string[]) => ({ alertRuleId, webhookIds });

test('the rules of several alerts are read in one query, each rule once', async () => {
  const { reads, pathsOf } = checkOf();
  const own = randomUUID();
  const entries = [named(ownRule), named(own, [webhookId]), undefined, named(ownRule), named(foreignRule)];
  expect(await pathsOf(...entries)).toStrictEqual([[], [], [], [], ['/alert_rule_id']]);
  expect(reads).toEqual([{ alertRuleIds: [ownRule, own, foreignRule], webhookIds: [webhookId] }]);
});

test('a registered rule is read only once a second, and other workspaces cannot use it', async () => {
  const { reads, pathsOf, errorsOf } = checkOf();
  for (let count = 0; count < 3; count += 1)
    expect(await pathsOf(named(ownRule), named(foreignRule, []))).toStrictEqual([[], ['/alert_rule_id']]);
  expect(reads).toHaveLength(1);
  expect((await errorsOf(randomUUID(), [named(ownRule)]))[0]).toEqual([
    {
      path: '/alert_rule_id',
      message:
        'is not an alert rule of this workspace; a monitor that keeps its own rules sends alert_rule with it',
    },
  ]);
  expect(reads).toHaveLength(1);
});

test('a registered rule is read again after a second', async () => {
  const clock = jest.spyOn(performance, 'now');
  const { reads, pathsOf } = checkOf();
  const readsAt = async (atMs: number) => {
    // LRUCache reads the clock at most once in a millisecond of real time. After 5 ms, it reads the mocked clock.
    await sleep(5);
    clock.mockReturnValue(atMs);
    await pathsOf(named(ownRule));
    return reads.length;
  };
  expect([await readsAt(5_000), await readsAt(6_000), await readsAt(6_001)]).toEqual([1, 1, 2]);
});

test('an unregistered rule and its webhooks are read from the database for each alert', async () => {
  const { reads, errorsOf } = checkOf();
  const [own, unknown, other] = [randomUUID(), randomUUID(), randomUUID()];
  for (let count = 1; count <= 2; count += 1) {
    const [errors] = await errorsOf(workspaceId, [named(own, [webhookId, unknown, other])]);
    expect(errors).toEqual([
      {
        path: '/alert_rule/notification_webhook_ids',
        message: `must name webhooks of this workspace; unknown in it: ${unknown}, ${other}`,
      },
    ]);
    expect(reads).toHaveLength(count);
  }
});

test('an alert is rejected if its rule is neither registered nor contained in its message', async () => {
  const { pathsOf } = checkOf();
  expect(await pathsOf(named(randomUUID()), named(randomUUID(), []))).toStrictEqual([['/alert_rule_id'], []]);
});

test.each(Object.entries(noticeRules))(
  'an alert of the built-in rule of %s is rejected',
  async (_, { id }) => {
    const { pathsOf } = checkOf();
    expect(await pathsOf(named(id), named(id, [webhookId]))).toStrictEqual([
      ['/alert_rule_id'],
      ['/alert_rule_id'],
    ]);
  },
);

test('an alert of a registered rule may name unknown webhooks', async () => {
  const { pathsOf } = checkOf();
  expect(await pathsOf(named(ownRule, [randomUUID()]))).toStrictEqual([[]]);
});

test.each([
  [null, undefined],
  [undefined, undefined],
  ['text', undefined],
  [{ alert_rule_id: 'x' }, undefined],
  [{ alert_rule_id: ownRule.toUpperCase() }, named(ownRule)],
  [{ alert_rule_id: ownRule, alert_rule: null }, named(ownRule)],
  [{ alert_rule_id: ownRule, alert_rule: 'text' }, named(ownRule)],
  [{ alert_rule_id: ownRule, alert_rule: {} }, named(ownRule, [])],
  [
    {
      alert_rule_id: ownRule,
      alert_rule: { notification_webhook_ids: ['x', webhookId.toUpperCase(), webhookId] },
    },
    named(ownRule, [webhookId]),
  ],
])('only the valid ids in the rejected body %j are looked up', (body, expected) => {
  expect(resourcesIn(body)).toEqual(expected);
});

test('at most twenty webhooks of a rejected body are looked up', () => {
  const ids = Array.from({ length: 25 }, () => randomUUID());
  const body = { alert_rule_id: ownRule, alert_rule: { notification_webhook_ids: ids } };
  expect(resourcesIn(body)).toEqual(named(ownRule, ids.slice(0, 20)));
});
