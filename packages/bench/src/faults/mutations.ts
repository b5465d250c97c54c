/** A deliberate defect in a service that breaks one promise. The suite must detect it. */
export interface Mutation {
  name: string;
  target: 'worker' | 'api';
  /** The last part of the path of the compiled module in which the text is replaced. */
  module: string;
  /** The text to replace. It must occur exactly once in the module. */
  original: string;
  replacement: string;
}

/** Returns the line that a service writes to standard error when it loads the mutation. */
export function markOf({ name }: Mutation): string {
  return `mutation loaded: ${name}`;
}

export const mutations = {
  'ack-before-commit': {
    name: 'ack-before-commit',
    target: 'worker',
    module: 'packages/messaging/dist/consumer.js',
    original: 'on.acks.received(message.fields.deliveryTag);',
    replacement: 'on.acks.received(message.fields.deliveryTag); on.acks.ack(message.fields.deliveryTag);',
  },
  'dispatcher-off': {
    name: 'dispatcher-off',
    target: 'worker',
    module: 'services/delivery-worker/dist/dispatch/dispatcher.js',
    original: 'while (!signal.aborted) {',
    replacement: 'while (false) {',
  },
  'no-fence': {
    name: 'no-fence',
    target: 'worker',
    module: 'services/delivery-worker/dist/delivery/record-repository.js',
    original: "and x.claim = o.claim and o.status <> 'open'",
    replacement: "and o.status <> 'open'",
  },
  'leases-ignored': {
    name: 'leases-ignored',
    target: 'worker',
    module: 'services/delivery-worker/dist/lease/lease-repository.js',
    original: 'select id from workers where lease_until',
    replacement: 'select id from workers where false and lease_until',
  },
  'keys-ignored': {
    name: 'keys-ignored',
    target: 'worker',
    module: 'services/delivery-worker/dist/consumers.js',
    original: "(['keys'])",
    replacement: '([])',
  },
  'unknown-webhooks-opened': {
    name: 'unknown-webhooks-opened',
    target: 'worker',
    module: 'services/delivery-worker/dist/fan-out/plan.js',
    original: "{ state: 'webhook_deleted' }",
    replacement: "{ state: 'waiting' }",
  },
  'confirms-ignored': {
    name: 'confirms-ignored',
    target: 'api',
    module: 'packages/messaging/dist/publisher.js',
    original: 'pending.set(messageId, {',
    replacement: 'resolve(); pending.set(messageId, {',
  },
} as const satisfies Record<string, Mutation>;
