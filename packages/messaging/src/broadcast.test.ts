import { EventEmitter } from 'node:events';
import type { ConsumeMessage } from 'amqplib';
import { listenToBroadcasts } from './broadcast.js';
import type { Broker } from './connection.js';

test('broadcasts arrive through an exclusive queue that is bound after each topology declaration', async () => {
  const steps: unknown[] = [];
  let receive: (message: ConsumeMessage | null) => void = () => {};
  let declared = () => {};
  const channel = Object.assign(new EventEmitter(), {
    async assertQueue(...queue: unknown[]) {
      steps.push(queue);
      return { queue: 'generated' };
    },
    bindQueue: async (...binding: string[]) => void steps.push(binding),
    async consume(queue: string, handle: typeof receive, options: object) {
      steps.push([queue, options]);
      receive = handle;
    },
    close: async () => void steps.push('close'),
  });
  const broker = {
    onDeclared: (listener: () => void) => {
      declared = listener;
    },
    use: (attach: (opened: typeof channel) => Promise<void>) => attach(channel),
  } as unknown as Broker;
  const received: string[] = [];
  const onMessage = (content: Buffer) => received.push(content.toString());
  await listenToBroadcasts(broker, { routingKey: 'a.key', onMessage });
  const binding = ['generated', 'tocsin.events', 'a.key'];
  expect(steps.splice(0)).toEqual([
    ['', { exclusive: true, autoDelete: true }],
    binding,
    ['generated', { noAck: true }],
  ]);
  receive({ content: Buffer.from('one') } as ConsumeMessage);
  declared();
  expect([received, steps.splice(0)]).toEqual([['one'], [binding]]);
  // A null message means that the queue was deleted.
  receive(null);
  expect([received, steps]).toEqual([['one'], ['close']]);
});
