import type { AlertFired } from '@tocsin/contracts';
import { alertRecordId, deliveryRecordId, noticeRules } from '@tocsin/deliveries';
import type { Window } from '../dispatch/window.js';
import {
  openOf,
  type PlanOptions,
  planAlert,
  type ResolvedAlert,
  releasePlanned,
  resolveAlert,
} from './plan.js';
import type { RegisteredRule, TargetWebhook } from './rules-reader.js';

const alert = { workspace_id: 'w', alert_id: 'a' } as ResolvedAlert['alert'];
const acceptedAtMs = 1_700_000_000_000;

const resolvedFor = (webhookIds: string[], changes: Partial<ResolvedAlert> = {}): ResolvedAlert => ({
  alert,
  ruleName: 'Rule',
  threshold: 1,
  bound: 'upper_bound',
  outcome: 'dispatched',
  webhookIds,
  storedWebhookIds: null,
  cooldownApplies: false,
  ...changes,
});

const webhook = (id: string, changes: Partial<TargetWebhook> = {}): TargetWebhook => ({
  id,
  workspaceId: 'w',
  name: `name of ${id}`,
  destination: `https://${id}`,
  version: 1,
  enabled: true,
  retryOnTimeout: true,
  mustWait: false,
  ...changes,
});

interface Limits {
  slots?: number;
  places?: number;
  workspaceFill?: number;
  webhookFill?: number;
}

/**
 * Plans an alert for these webhooks. `slots` and `places` are the numbers of free slots and of free places in the
 * queue. `workspaceFill` and `webhookFill` are the used fractions of the limits on open deliveries.
 */
function plan(
  webhooks: TargetWebhook[],
  { slots = 0, places = 0, workspaceFill = 0, webhookFill = 0 }: Limits = {},
  changes: Partial<ResolvedAlert> = {},
) {
  const asked: string[] = [];
  const released: string[] = [];
  const left = { slots, places };
  const take = (kind: 'slots' | 'places', webhookId: string) => {
    asked.push(`${kind} ${webhookId}`);
    left[kind] -= 1;
    return left[kind] >= 0;
  };
  const options: PlanOptions = {
    webhooks: new Map(webhooks.map((entry) => [entry.id, entry])),
    acceptedAtMs,
    openDeliveries: {
      workspaceFill: () => workspaceFill,
      webhookFill: () => webhookFill,
      writing: ({ workspaceId, webhookId }) => void asked.push(`writing ${workspaceId} ${webhookId}`),
    },
    window: { acquire: ({ webhookId }) => take('places', webhookId) },
    acquireAtWrite: ({ webhookId }) =>
      take('slots', webhookId) ? { release: () => released.push(`slot ${webhookId}`) } : undefined,
  };
  const planned = planAlert(
    resolvedFor(
      webhooks.map(({ id }) => id),
      changes,
    ),
    options,
  );
  return { planned, asked, released, states: planned.deliveries.map(({ state }) => state) };
}

test('a delivery gets a free slot, else a place in the queue, else it waits for the dispatcher', () => {
  const { states, asked } = plan([webhook('x'), webhook('y'), webhook('z')], { slots: 1, places: 1 });
  expect(states).toEqual(['claimed', 'queued', 'waiting']);
  expect(asked).toEqual([
    'writing w x',
    'slots x',
    'writing w y',
    'slots y',
    'places y',
    'writing w z',
    'slots z',
    'places z',
  ]);
});

test('ids of planned rows contain the acceptance time; deliveries name webhook and destination', () => {
  const { planned } = plan([webhook('x')], { slots: 1 });
  expect(planned.recordId).toBe(alertRecordId(acceptedAtMs, alert));
  expect(planned.deliveries).toEqual([
    {
      id: deliveryRecordId(acceptedAtMs, alert, 'x'),
      webhookId: 'x',
      webhookName: 'name of x',
      destination: 'https://x',
      webhook: webhook('x'),
      state: 'claimed',
      slot: expect.objectContaining({ release: expect.any(Function) }),
    },
  ]);
});

test('deliveries of a paused webhook wait; those of a disabled one are queued, to be skipped', () => {
  const webhooks = [webhook('paused', { mustWait: true }), webhook('disabled', { enabled: false })];
  const { states, asked } = plan(webhooks, { slots: 9, places: 9 });
  expect(states).toEqual(['waiting', 'queued']);
  expect(asked).toEqual(['writing w paused', 'writing w disabled', 'places disabled']);
});

test('a delivery of a missing webhook, or one of another workspace, is written as failed', () => {
  const foreign = webhook('foreign', { workspaceId: 'v' });
  const { planned, asked } = plan([foreign], { slots: 9 });
  expect(planned.deliveries).toMatchObject([
    { state: 'webhook_deleted', webhookName: '', destination: '', webhook: undefined },
  ]);
  expect(asked).toEqual([]);
  expect(plan([], { slots: 9 }, { webhookIds: ['gone'] }).planned.deliveries).toMatchObject([
    { state: 'webhook_deleted', webhookId: 'gone', webhookName: '', destination: '' },
  ]);
});

test('a delivery is written as failed if its webhook has reached its limit on open deliveries', () => {
  expect(plan([webhook('x')], { webhookFill: 1, slots: 9 })).toMatchObject({
    states: ['over_quota'],
    asked: [],
  });
  expect(plan([webhook('x')], { webhookFill: 0.99, slots: 9 }).states).toEqual(['claimed']);
});

test('at the open-delivery limit of a workspace, an alert stores its webhooks but no deliveries', () => {
  const { planned } = plan([webhook('x')], { workspaceFill: 1, slots: 9 });
  expect(planned).toMatchObject({ deliveries: [], resolved: { outcome: 'over_quota', webhookIds: [] } });
  expect(planned.resolved.storedWebhookIds).toEqual(['x']);
  expect(plan([webhook('x')], { workspaceFill: 0.99, slots: 9 }).states).toEqual(['claimed']);
  const disabled = plan([], { workspaceFill: 1 }, { outcome: 'rule_disabled', storedWebhookIds: ['z'] });
  expect(disabled.planned.resolved).toMatchObject({ outcome: 'rule_disabled', storedWebhookIds: ['z'] });
});

test('openOf does not return deliveries that are written as failed', () => {
  const webhooks = [webhook('x'), webhook('foreign', { workspaceId: 'v' }), webhook('z')];
  expect(openOf([plan(webhooks, { places: 1 }).planned])).toEqual([
    { workspaceId: 'w', webhookId: 'x' },
    { workspaceId: 'w', webhookId: 'z' },
  ]);
});

test('a delivery that is not written releases its slot or its place in the queue', () => {
  const { planned, released } = plan([webhook('x'), webhook('y'), webhook('z')], { slots: 1, places: 1 });
  const window = { release: (webhookId: string) => released.push(`place ${webhookId}`) } as unknown as Window;
  for (const delivery of planned.deliveries) releasePlanned(delivery, window);
  expect(released).toEqual(['slot x', 'place y']);
});

const firedAlert = { workspace_id: 'w', alert_id: 'a', alert_rule_id: 'r' } as AlertFired;
const registered: RegisteredRule = {
  id: 'r',
  workspaceId: 'w',
  name: 'registered',
  threshold: 0.4,
  bound: 'upper_bound',
  enabled: true,
  deleted: false,
  silenced: false,
  hasCooldown: false,
  webhookIds: ['x', 'y', 'x'],
};
const embedded = {
  name: 'embedded',
  enabled: true,
  threshold: 0.9,
  bound: 'lower_bound' as const,
  notification_webhook_ids: ['z', 'z'],
};

test('an alert gets rule name, threshold, `bound` and distinct webhooks from its registered rule', () => {
  expect(resolveAlert(firedAlert, registered)).toEqual({
    alert: firedAlert,
    ruleName: 'registered',
    threshold: 0.4,
    bound: 'upper_bound',
    outcome: 'dispatched',
    webhookIds: ['x', 'y'],
    storedWebhookIds: null,
    cooldownApplies: false,
  });
});

test('`threshold` and `bound` of a message replace those of the rule, even a threshold of zero', () => {
  const fired: AlertFired = { ...firedAlert, threshold: 0, bound: 'lower_bound' };
  expect(resolveAlert(fired, registered)).toMatchObject({ threshold: 0, bound: 'lower_bound' });
});

test('the rule in a message is used only if no rule with its id was registered', () => {
  const fired: AlertFired = { ...firedAlert, alert_rule: embedded };
  expect(resolveAlert(fired, registered)).toMatchObject({ ruleName: 'registered', webhookIds: ['x', 'y'] });
  expect(resolveAlert(fired, undefined)).toEqual({
    alert: fired,
    ruleName: 'embedded',
    threshold: 0.9,
    bound: 'lower_bound',
    outcome: 'dispatched',
    webhookIds: ['z'],
    storedWebhookIds: null,
    cooldownApplies: false,
  });
});

test('resolveAlert returns undefined for an unknown rule and for a rule of another workspace', () => {
  expect(resolveAlert(firedAlert, undefined)).toBeUndefined();
  const foreign = { ...registered, workspaceId: 'v' };
  expect(resolveAlert({ ...firedAlert, alert_rule: embedded }, foreign)).toBeUndefined();
});

test.each(Object.entries(noticeRules))(
  'a message with the id of the built-in rule of %s is rejected',
  (_, { id }) => {
    const fired: AlertFired = { ...firedAlert, alert_rule_id: id, alert_rule: embedded };
    expect(resolveAlert(fired, undefined)).toBeUndefined();
  },
);

test.each<[string, Partial<RegisteredRule>]>([
  ['rule_deleted', { deleted: true, enabled: false }],
  ['rule_disabled', { enabled: false, silenced: true, webhookIds: [] }],
  ['suppressed', { silenced: true, webhookIds: [] }],
  ['no_webhooks', { webhookIds: [] }],
])('an alert with the outcome %s has no webhooks to call', (outcome, changes) => {
  expect(resolveAlert(firedAlert, { ...registered, ...changes })).toMatchObject({
    outcome,
    webhookIds: [],
    storedWebhookIds: null,
  });
});

test('an alert whose message contains a disabled rule is stored with the webhooks of this rule', () => {
  const disabled = { ...firedAlert, alert_rule: { ...embedded, enabled: false } };
  expect(resolveAlert(disabled, undefined)).toMatchObject({
    outcome: 'rule_disabled',
    webhookIds: [],
    storedWebhookIds: ['z', 'z'],
  });
  const empty = { ...firedAlert, alert_rule: { ...embedded, notification_webhook_ids: [] } };
  expect(resolveAlert(empty, undefined)).toMatchObject({ outcome: 'no_webhooks', storedWebhookIds: null });
});

test('the cooldown of a rule applies to its dispatched alerts, except to resolved ones', () => {
  const cooldownAppliesTo = (fired: AlertFired, changes: Partial<RegisteredRule>) =>
    resolveAlert(fired, { ...registered, hasCooldown: true, ...changes })?.cooldownApplies;
  expect(cooldownAppliesTo(firedAlert, {})).toBe(true);
  expect(cooldownAppliesTo({ ...firedAlert, state: 'firing' } as AlertFired, {})).toBe(true);
  expect(cooldownAppliesTo({ ...firedAlert, state: 'resolved' } as AlertFired, {})).toBe(false);
  expect(cooldownAppliesTo(firedAlert, { hasCooldown: false })).toBe(false);
  expect(cooldownAppliesTo(firedAlert, { silenced: true })).toBe(false);
});
