import { EventEmitter } from 'node:events';
import type { ConfirmChannel } from 'amqplib';
import type { Broker } from './connection.js';
import { createPublisher, type Publication, type PublishError, type PublisherOptions } from './publisher.js';

const { jest } = import.meta;

afterEach(() => void jest.useRealTimers());

const lost = new Error('The connection was lost.');
const message: Publication = { exchange: 'e', routingKey: 'k', content: Buffer.from('c') };

/**
 * Creates a publisher with an open channel. `confirms` lists the callbacks that confirm or reject the sent messages.
 */
async function start(options: PublisherOptions = {}) {
  jest.useFakeTimers();
  const sent: unknown[][] = [];
  const confirms: ((error: unknown) => void)[] = [];
  const state = { isBlocked: false, throws: undefined as Error | undefined };
  const channel = Object.assign(new EventEmitter(), {
    publish(...[exchange, key, content, properties, confirm]: Parameters<ConfirmChannel['publish']>) {
      if (state.throws !== undefined) throw state.throws;
      sent.push([exchange, key, content, properties]);
      confirms.push((error) => confirm!(error, {}));
    },
  });
  let block = () => {};
  let attach = async () => {};
  const broker = {
    async useConfirming(prepare: (channel: ConfirmChannel) => Promise<void>) {
      attach = () => prepare(channel as unknown as ConfirmChannel);
    },
    onBlocked(listener: () => void) {
      block = listener;
    },
    isBlocked: () => state.isBlocked,
    lastError: () => lost,
  } as unknown as Broker;
  const publisher = await createPublisher(broker, options);
  const outcomeOf = (publication = message) =>
    publisher.publish(publication).then(
      () => 'confirmed',
      ({ reason, cause }: PublishError) => ({ reason, cause }),
    );
  const withoutChannel = await outcomeOf();
  await attach();
  return { sent, confirms, state, channel, attach, outcomeOf, withoutChannel, block: () => block() };
}

test('a message is persistent and mandatory, and has type and headers only if they are given', async () => {
  const { sent, confirms, outcomeOf } = await start();
  const headers = { a: 'b' };
  const outcomes = [outcomeOf(), outcomeOf({ ...message, contentType: 'text/plain', type: 't', headers })];
  for (const confirm of confirms) confirm(null);
  expect(await Promise.all(outcomes)).toEqual(['confirmed', 'confirmed']);
  const content = Buffer.from('c');
  const always = { persistent: true, mandatory: true };
  expect(sent).toEqual([
    ['e', 'k', content, { ...always, messageId: '1', contentType: 'application/json' }],
    ['e', 'k', content, { ...always, messageId: '2', contentType: 'text/plain', type: 't', headers }],
  ]);
});

test('a nacked message fails as rejected, and a message that no queue receives fails as returned', async () => {
  const { channel, confirms, outcomeOf } = await start();
  const outcomes = [outcomeOf(), outcomeOf(), outcomeOf()];
  const nack = new Error('message nacked');
  channel.emit('return', { properties: { messageId: '2' } });
  confirms[0]!(nack);
  for (const confirm of confirms.slice(1)) confirm(null);
  expect(await Promise.all(outcomes)).toEqual([
    { reason: 'rejected', cause: nack },
    { reason: 'returned', cause: undefined },
    'confirmed',
  ]);
});

test('an error with the reason unavailable has the error of the channel or connection as cause', async () => {
  const { channel, confirms, state, outcomeOf, withoutChannel } = await start();
  expect(withoutChannel).toEqual({ reason: 'unavailable', cause: lost });
  state.throws = new Error('The channel is closing.');
  expect(await outcomeOf()).toEqual({ reason: 'unavailable', cause: state.throws });
  state.throws = undefined;
  const [first, second] = [outcomeOf(), outcomeOf()];
  const ended = new Error('channel closed');
  confirms[0]!(ended);
  const closed = new Error('404 NOT_FOUND');
  channel.emit('error', closed);
  confirms[1]!(ended);
  channel.emit('close');
  expect([await first, await second, await outcomeOf()]).toEqual([
    { reason: 'unavailable', cause: ended },
    { reason: 'unavailable', cause: closed },
    { reason: 'unavailable', cause: closed },
  ]);
});

test.each([
  [5_000, {}],
  [1_000, { confirmTimeoutMs: 1_000 }],
])('a message fails if the broker has not confirmed it within %i ms', async (timeoutMs, options) => {
  const { confirms, outcomeOf } = await start(options);
  const failed: unknown[] = [];
  const early = outcomeOf();
  void outcomeOf().then((outcome) => failed.push(outcome));
  confirms[0]!(null);
  await jest.advanceTimersByTimeAsync(timeoutMs - 1);
  expect([await early, failed]).toEqual(['confirmed', []]);
  // The publisher checks every 250 ms for overdue confirms.
  await jest.advanceTimersByTimeAsync(251);
  expect(failed).toEqual([{ reason: 'timeout', cause: undefined }]);
});

test('while the broker is blocked, new messages fail at once and unconfirmed ones after 250 ms', async () => {
  const { confirms, state, block, outcomeOf } = await start();
  const ends: unknown[] = [];
  for (const name of ['confirmed', 'unread']) void outcomeOf().then((outcome) => ends.push([name, outcome]));
  state.isBlocked = true;
  block();
  expect(await outcomeOf()).toEqual({ reason: 'blocked', cause: undefined });
  confirms[0]!(null);
  await jest.advanceTimersByTimeAsync(249);
  expect(ends).toEqual([['confirmed', 'confirmed']]);
  await jest.advanceTimersByTimeAsync(1);
  expect(ends[1]).toEqual(['unread', { reason: 'blocked', cause: undefined }]);
  state.isBlocked = false;
  const after = outcomeOf();
  confirms.at(-1)!(null);
  expect(await after).toBe('confirmed');
});

test('an error of an earlier channel is not reported as the cause after a new channel opens', async () => {
  const { channel, attach, outcomeOf } = await start();
  channel.emit('error', new Error('404 NOT_FOUND'));
  await attach();
  channel.emit('close');
  expect(await outcomeOf()).toEqual({ reason: 'unavailable', cause: lost });
});
