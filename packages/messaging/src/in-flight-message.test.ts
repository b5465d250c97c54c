import { alertPublisherHeader, requestIdHeader } from '@tocsin/contracts';
import { traceparentHeader } from '@tocsin/kit';
import type { ConsumeMessage } from 'amqplib';
import { InFlightMessage, type MessageSource, type Settlement } from './in-flight-message.js';

const source = { queue: 'alert-fired' } as MessageSource;

/**
 * Returns a message of five bytes with these headers. `calls` lists the calls of `ack` and `retry`, each with the tag
 * of the message.
 */
function receive(headers: object | undefined) {
  const calls: unknown[] = [];
  const settlement: Settlement = {
    isReturned: (of) => of.tag === 7,
    ack: (of) => calls.push(['ack', of.tag]),
    retry: (of, error) => calls.push(['retry', of.tag, error]),
  };
  const fields = { deliveryTag: 7, redelivered: true, routingKey: 'alert.fired' };
  const received = { content: Buffer.from('12345'), fields, properties: { headers } };
  return { calls, message: new InFlightMessage(received as unknown as ConsumeMessage, source, settlement) };
}

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

test('a message has its queue, routing key and known headers; its size ignores other headers', () => {
  const headers = {
    [requestIdHeader]: 'an-id',
    [traceparentHeader]: traceparent,
    [alertPublisherHeader]: 'ada',
    other: 'y'.repeat(1_000),
  };
  expect(receive(headers).message).toMatchObject({
    content: Buffer.from('12345'),
    queue: 'alert-fired',
    routingKey: 'alert.fired',
    requestId: 'an-id',
    traceparent,
    publisher: 'ada',
    redelivered: true,
    tag: 7,
    bytes: 5 + 5 + traceparent.length + 3,
  });
  const none = { requestId: undefined, traceparent: undefined, publisher: undefined, bytes: 5 };
  expect([receive({}).message, receive(undefined).message]).toMatchObject([none, none]);
});

test.each([
  ['aA0_.~:/+=@-', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['', false],
  ['a b', false],
  ['a\n', false],
  ['a"', false],
  [7, false],
])('a message has the request id %j if it is safe to log: %s', (id, isKept) => {
  expect(receive({ [requestIdHeader]: id }).message.requestId).toBe(isKept ? id : undefined);
});

test.each([
  ['p'.repeat(256), true],
  ['p'.repeat(257), false],
  ['', true],
  [7, false],
])('a message has the publisher %j if it is text of at most 256 characters: %s', (publisher, isKept) => {
  expect(receive({ [alertPublisherHeader]: publisher }).message.publisher).toBe(
    isKept ? publisher : undefined,
  );
});

test('the methods of a message call the settlement functions of the consumer with the message', () => {
  const { calls, message } = receive({});
  const error = new Error('not now');
  message.ack();
  message.retry(error);
  expect([message.isReturned(), calls, message.failures]).toEqual([
    true,
    [
      ['ack', 7],
      ['retry', 7, error],
    ],
    0,
  ]);
});
