/** One promise broken on purpose, to show that the suite sees it. */
export interface Sabotage {
  name: string;
  victim: 'worker' | 'api';
  /** The end of the compiled module's path, and the piece of it that is replaced; it must stand there exactly once. */
  module: string;
  piece: string;
  replacement: string;
}

/** What a service says once its module has been rewritten. */
export function markOf({ name }: Sabotage): string {
  return `sabotaged: ${name}`;
}

export const sabotages = {
  'ack-before-commit': {
    name: 'ack-before-commit',
    victim: 'worker',
    module: 'packages/messaging/dist/consumer.js',
    piece: 'on.acker.taken(message.fields.deliveryTag);',
    replacement: 'on.acker.taken(message.fields.deliveryTag); on.acker.done(message.fields.deliveryTag);',
  },
  'dispatcher-off': {
    name: 'dispatcher-off',
    victim: 'worker',
    module: 'services/delivery-worker/dist/dispatch/dispatcher.js',
    piece: 'while (!signal.aborted) {',
    replacement: 'while (false) {',
  },
  'no-fence': {
    name: 'no-fence',
    victim: 'worker',
    module: 'services/delivery-worker/dist/delivery/record-repository.js',
    piece: "and x.claim = o.claim and o.status <> 'open'",
    replacement: "and o.status <> 'open'",
  },
  'no-renewal': {
    name: 'no-renewal',
    victim: 'worker',
    module: 'services/delivery-worker/dist/delivery/keep-leases.js',
    piece: 'if (late.length > 0)',
    replacement: 'if (false)',
  },
  'confirms-ignored': {
    name: 'confirms-ignored',
    victim: 'api',
    module: 'packages/messaging/dist/publisher.js',
    piece: 'pending.set(messageId, {',
    replacement: 'resolve(); pending.set(messageId, {',
  },
} as const satisfies Record<string, Sabotage>;
