import { EventEmitter } from 'node:events';
import type { Channel } from 'amqplib';
import { createSubscription, type SubscriptionOptions } from './subscription.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Creates a subscription. `steps` lists the calls of its channel. */
function start(options: Partial<SubscriptionOptions> = {}) {
  const steps: string[] = [];
  const state = { mayReceive: true, inFlight: 0 };
  let consumers = 0;
  const channel = Object.assign(new EventEmitter(), {
    async prefetch(count: number) {
      steps.push(`prefetch ${count}`);
    },
    async consume(queue: string) {
      consumers += 1;
      steps.push(`consume ${queue} as ${consumers}`);
      return { consumerTag: String(consumers) };
    },
    async cancel(tag: string) {
      steps.push(`cancel ${tag}`);
    },
  });
  const subscription = createSubscription(channel as unknown as Channel, {
    queue: 'q',
    prefetch: 100,
    targetBytes: 1_000,
    mayReceive: () => state.mayReceive,
    inFlight: () => state.inFlight,
    onMessage() {},
    ...options,
  });
  const receive = async (count: number, bytes: number) => {
    for (let index = 0; index < count; index += 1) subscription.received(bytes);
    await settled();
    return steps.splice(0);
  };
  const update = async () => {
    await subscription.update();
    return steps.splice(0);
  };
  return { state, channel, receive, update };
}

test.each([
  [32, {}],
  [20, { prefetch: 20 }],
])('the first prefetch of a consumer is %i if its options are %j', async (count, options) => {
  expect(await start(options).update()).toEqual([`prefetch ${count}`, 'consume q as 1']);
});

test.each([
  ['as many messages as fit in its target', 20, 0, 50 - 32],
  ['at most as many messages as its prefetch', 1, 0, 100 - 32],
  ['its prefetch minus the messages in flight', 1, 32, 100 - 32],
])('after 32 messages, a consumer requests %s', async (_, bytes, inFlight, count) => {
  const { state, receive, update } = start();
  await update();
  state.inFlight = inFlight;
  expect(await receive(31, bytes)).toEqual([]);
  expect(await receive(1, bytes)).toEqual([`prefetch ${count}`, 'consume q as 2']);
  expect(await receive(64, bytes)).toEqual([]);
});

test('the prefetch is not reduced for messages that were in flight before the subscription', async () => {
  const { state, receive, update } = start();
  await update();
  state.inFlight = 90;
  expect(await receive(64, 1)).toEqual([]);
  state.inFlight = 40;
  expect(await receive(31, 1)).toEqual([]);
  expect(await receive(1, 1)).toEqual(['prefetch 60', 'consume q as 2']);
});

test('after large messages have lowered the prefetch, it is raised only after 32 smaller ones', async () => {
  const { receive, update } = start();
  await update();
  expect(await receive(32, 1_000 / 32)).toEqual([]);
  expect(await receive(31, 20)).toEqual([]);
  expect(await receive(1, 20)).toEqual(['prefetch 18', 'consume q as 2']);
});

test('a consumer whose first prefetch is 1 also requests more only after 32 messages', async () => {
  const { receive, update } = start({ firstPrefetch: 1 });
  expect(await update()).toEqual(['prefetch 1', 'consume q as 1']);
  expect(await receive(31, 20)).toEqual([]);
  expect(await receive(1, 20)).toEqual(['prefetch 49', 'consume q as 2']);
});

test('a paused consumer cancels all subscriptions, and measures message sizes again when resumed', async () => {
  const { state, receive, update } = start();
  await update();
  await receive(32, 20);
  expect(await update()).toEqual([]);
  state.mayReceive = false;
  expect((await update()).sort()).toEqual(['cancel 1', 'cancel 2']);
  expect(await update()).toEqual([]);
  expect(await receive(40, 20)).toEqual([]);
  state.mayReceive = true;
  expect(await update()).toEqual(['prefetch 32', 'consume q as 3']);
  expect(await receive(31, 20)).toEqual([]);
  expect(await receive(1, 20)).toEqual(['prefetch 18', 'consume q as 4']);
});

test('a subscription that starts while the consumer is being paused is cancelled at once', async () => {
  let calls = 0;
  const mayReceive = () => {
    calls += 1;
    return calls === 1;
  };
  expect(await start({ mayReceive }).update()).toEqual(['prefetch 32', 'consume q as 1', 'cancel 1']);
});

test('a subscription sends no commands on a closed channel', async () => {
  const { channel, receive, update } = start();
  await update();
  channel.emit('close');
  expect([await receive(32, 20), await update()]).toEqual([[], []]);
});
