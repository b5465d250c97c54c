import type { Channel } from 'amqplib';
import { declareTopology } from './topology.js';

/** Declares the topology. The channels reject the queue or exchange named `rejected` with the error code `code`. */
async function declare({ rejected = '', code = 0 } = {}) {
  const declared: unknown[] = [];
  const conflicts: string[] = [];
  let channels = 0;
  const assert = async (name: string, ...rest: unknown[]) => {
    if (name === rejected) throw Object.assign(new Error('rejected'), { code });
    declared.push([name, ...rest]);
  };
  const openChannel = async () => {
    channels += 1;
    const channel = {
      assertExchange: assert,
      assertQueue: assert,
      bindQueue: async (...binding: string[]) => void declared.push(binding),
      close: async () => void declared.push('closed'),
    };
    return channel as unknown as Channel;
  };
  await declareTopology(openChannel, (name) => conflicts.push(name));
  return { declared, conflicts, channels };
}

const durable = { durable: true };
const quorum = { ...durable, arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 1_000_000 } };
const topology = [
  ['tocsin.alerts.unrouted', 'fanout', durable],
  ['tocsin.alerts', 'topic', { ...durable, alternateExchange: 'tocsin.alerts.unrouted' }],
  ['tocsin.deliveries', 'direct', durable],
  ['tocsin.events', 'topic', durable],
  ['alert-fired', quorum],
  ['alert-fired', 'tocsin.alerts', 'alert.fired'],
  ['alert-fired', 'tocsin.alerts', 'pipeline.marker'],
  ['alerts-unrouted', quorum],
  ['alerts-unrouted', 'tocsin.alerts.unrouted', ''],
  ['deliveries', quorum],
  ['deliveries', 'tocsin.deliveries', 'delivery.due'],
  'closed',
];

test('the topology has durable exchanges, quorum queues and their bindings', async () => {
  expect(await declare()).toEqual({ declared: topology, conflicts: [], channels: 1 });
});

test.each([
  ['tocsin.alerts', 1],
  ['deliveries', 9],
])(
  'an existing %s with other arguments is reported, and a new channel declares the rest',
  async (rejected, at) => {
    const declared = topology.toSpliced(at, 1);
    expect(await declare({ rejected, code: 406 })).toEqual({ declared, conflicts: [rejected], channels: 2 });
  },
);

test('a declaration that fails with a code other than 406 throws an error', async () => {
  await expect(declare({ rejected: 'alert-fired', code: 403 })).rejects.toThrow('rejected');
});
