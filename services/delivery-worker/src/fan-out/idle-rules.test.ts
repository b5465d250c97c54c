import { createIdleRules } from './idle-rules.js';
import type { PlannedAlert, PlannedDelivery } from './plan.js';

const responsivenessOf = (webhookId: string) => (webhookId === 'answers' ? 'responsive' : 'unknown');

function plan(
  ...targets: { webhookId: string; state: PlannedDelivery['state']; paused?: boolean }[]
): PlannedAlert {
  const deliveries = targets.map(({ webhookId, state, paused = false }) => ({
    webhookId,
    state,
    webhook: { paused },
  }));
  return { resolved: { alert: { alert_rule_id: 'rule' } }, deliveries } as unknown as PlannedAlert;
}

test.each<[string, PlannedAlert, boolean]>([
  ['held webhooks only', plan({ webhookId: 'answers', state: 'waiting', paused: true }), true],
  ['a silent webhook whose older ones wait', plan({ webhookId: 'silent', state: 'waiting' }), true],
  ['no webhook at all', plan(), true],
  [
    'one that is begun beside one that is held',
    plan({ webhookId: 'a', state: 'waiting', paused: true }, { webhookId: 'b', state: 'claimed' }),
    false,
  ],
  ['one that is queued', plan({ webhookId: 'silent', state: 'queued' }), false],
  [
    'a webhook that answers, for which there is no room just now',
    plan({ webhookId: 'answers', state: 'waiting' }),
    false,
  ],
])('%s', (_, planned, isIdle) => {
  const rules = createIdleRules({ responsivenessOf });
  rules.observe([planned]);
  expect(rules.has('rule')).toBe(isIdle);
});

test('a rule is idle no longer once one of its deliveries is begun', () => {
  const rules = createIdleRules({ responsivenessOf });
  const [waiting, claimed] = [
    plan({ webhookId: 'silent', state: 'waiting' }),
    plan({ webhookId: 'silent', state: 'claimed' }),
  ];
  rules.observe([waiting]);
  rules.observe([waiting, claimed, waiting]);
  expect(rules.has('rule')).toBe(false);
});
