import type { AlertFired } from '@tocsin/contracts';
import { resolveAlert } from './resolve-alert.js';
import type { RegisteredRule } from './rules-reader.js';

const alert = { workspace_id: 'w', alert_id: 'a', alert_rule_id: 'r' } as AlertFired;
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

test('a registered rule supplies name, limit and webhooks, each webhook once', () => {
  expect(resolveAlert(alert, registered)).toEqual({
    alert,
    ruleName: 'registered',
    threshold: 0.4,
    bound: 'upper_bound',
    outcome: 'dispatched',
    webhookIds: ['x', 'y'],
    storedWebhookIds: null,
    cools: false,
  });
});

test('threshold and bound of the message take precedence, also zero', () => {
  const fired: AlertFired = { ...alert, threshold: 0, bound: 'lower_bound' };
  expect(resolveAlert(fired, registered)).toMatchObject({ threshold: 0, bound: 'lower_bound' });
});

test('the rule in the message applies only if no rule with its id was registered', () => {
  const fired: AlertFired = { ...alert, alert_rule: embedded };
  expect(resolveAlert(fired, registered)).toMatchObject({ ruleName: 'registered', webhookIds: ['x', 'y'] });
  expect(resolveAlert(fired, undefined)).toEqual({
    alert: fired,
    ruleName: 'embedded',
    threshold: 0.9,
    bound: 'lower_bound',
    outcome: 'dispatched',
    webhookIds: ['z'],
    storedWebhookIds: null,
    cools: false,
  });
});

test('an alert without a rule, or with the rule of another workspace, cannot be resolved', () => {
  expect(resolveAlert(alert, undefined)).toBeUndefined();
  const foreign = { ...registered, workspaceId: 'v' };
  expect(resolveAlert({ ...alert, alert_rule: embedded }, foreign)).toBeUndefined();
});

test.each<[string, Partial<RegisteredRule>]>([
  ['rule_deleted', { deleted: true, enabled: false }],
  ['rule_disabled', { enabled: false, silenced: true, webhookIds: [] }],
  ['suppressed', { silenced: true, webhookIds: [] }],
  ['no_webhooks', { webhookIds: [] }],
])('the outcome %s calls no webhooks', (outcome, changes) => {
  expect(resolveAlert(alert, { ...registered, ...changes })).toMatchObject({
    outcome,
    webhookIds: [],
    storedWebhookIds: null,
  });
});

test('the webhooks of a disabled rule in the message are stored', () => {
  const disabled = { ...alert, alert_rule: { ...embedded, enabled: false } };
  expect(resolveAlert(disabled, undefined)).toMatchObject({
    outcome: 'rule_disabled',
    webhookIds: [],
    storedWebhookIds: ['z', 'z'],
  });
  const empty = { ...alert, alert_rule: { ...embedded, notification_webhook_ids: [] } };
  expect(resolveAlert(empty, undefined)).toMatchObject({ outcome: 'no_webhooks', storedWebhookIds: null });
});

test('a cooldown applies to dispatched alerts of a rule that has one, unless they are resolved', () => {
  const coolsOf = (fired: AlertFired, changes: Partial<RegisteredRule>) =>
    resolveAlert(fired, { ...registered, hasCooldown: true, ...changes })?.cools;
  expect(coolsOf(alert, {})).toBe(true);
  expect(coolsOf({ ...alert, state: 'firing' } as AlertFired, {})).toBe(true);
  expect(coolsOf({ ...alert, state: 'resolved' } as AlertFired, {})).toBe(false);
  expect(coolsOf(alert, { hasCooldown: false })).toBe(false);
  expect(coolsOf(alert, { silenced: true })).toBe(false);
});
