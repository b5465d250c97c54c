import { LRUCache } from 'lru-cache';
import type { Slots } from '../slots/slots.js';
import type { PlannedAlert } from './plan.js';

/**
 * Rules whose alerts set nothing off at once: all their webhooks are held, or have older deliveries waiting for a
 * destination that does not answer. Such an alert need only be made durable, which costs a tenth in a large batch, and
 * destinations that hang may have as many alerts as the others together.
 */
export interface IdleRules {
  has(ruleId: string): boolean;
  /** What became of a rule's alerts just now. */
  observe(plans: PlannedAlert[]): void;
}

/** Forgotten then: the next alert is looked at without delay. */
const rememberMs = 1_000;
const maxRules = 10_000;

export function createIdleRules(slots: Pick<Slots, 'responsivenessOf'>): IdleRules {
  const idle = new LRUCache<string, true>({ max: maxRules, ttl: rememberMs });
  const isIdle = ({ deliveries }: PlannedAlert) =>
    deliveries.every(
      ({ state, webhook, webhookId }) =>
        state === 'waiting' && (webhook?.paused === true || slots.responsivenessOf(webhookId) === 'unknown'),
    );
  return {
    has: (ruleId) => idle.has(ruleId),
    observe(plans) {
      const [idlePlans, others] = [plans.filter(isIdle), plans.filter((plan) => !isIdle(plan))];
      for (const plan of idlePlans) idle.set(ruleOf(plan), true);
      // A rule with alerts of both kinds is not idle.
      for (const plan of others) idle.delete(ruleOf(plan));
    },
  };
}

function ruleOf({ resolved }: PlannedAlert): string {
  return resolved.alert.alert_rule_id;
}
