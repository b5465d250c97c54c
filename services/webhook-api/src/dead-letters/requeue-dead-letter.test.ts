import {
  alertFiredKey,
  alertsExchange,
  deliveriesExchange,
  deliveryDueKey,
  requestIdHeader,
} from '@tocsin/contracts';
import { systemAuthor } from '@tocsin/database';
import { alertFiredQueue, deliveriesQueue, PublishError, unroutedQueue } from '@tocsin/messaging';
import type { DeadLettersRepository, StoredDeadLetter } from './dead-letters-repository.js';
import { createRequeueDeadLetter, type RequeueDeadLetterDeps } from './requeue-dead-letter.js';

type Outcome = Awaited<ReturnType<DeadLettersRepository['requeue']>>;

const letter = { id: 'l' } as StoredDeadLetter;
const content = Buffer.from('{}');

/** Requeues a dead letter whose message came from `queue`. `publish` is called with the message to publish. */
function requeueFrom(
  queue: string,
  publish: RequeueDeadLetterDeps['publisher']['publish'],
  requestId = null as string | null,
) {
  const requeue = createRequeueDeadLetter({
    repository: {
      async requeue(_id, _author, publishAgain) {
        await publishAgain({ queue, content, requestId });
        return { kind: 'requeued', letter };
      },
    },
    publisher: { publish },
  });
  return requeue('l', systemAuthor);
}

test.each([
  [alertFiredQueue, alertsExchange, alertFiredKey],
  [unroutedQueue, alertsExchange, alertFiredKey],
  [deliveriesQueue, deliveriesExchange, deliveryDueKey],
])('a dead letter of the queue %s is published to the exchange %s', async (queue, exchange, routingKey) => {
  const published: unknown[] = [];
  const publish = async (message: object) => void published.push(message);
  expect(await requeueFrom(queue, publish)).toBe(letter);
  await requeueFrom(queue, publish, 'r');
  const message = { exchange, routingKey, content };
  expect(published).toEqual([message, { ...message, headers: { [requestIdHeader]: 'r' } }]);
});

test('a requeue that the broker does not confirm gets 503; any other error is thrown unchanged', async () => {
  const failing = (error: Error) => requeueFrom(alertFiredQueue, () => Promise.reject(error));
  await expect(failing(new PublishError('timeout', 'unconfirmed'))).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 2,
  });
  const fault = new Error('our own fault');
  await expect(failing(fault)).rejects.toBe(fault);
});

test.each<[Outcome['kind'], string, RegExp]>([
  ['not_found', 'not_found', /no dead letter/],
  ['already_requeued', 'conflict', /has been requeued already/],
  ['truncated', 'conflict', /only its beginning was kept/],
  ['being_requeued', 'conflict', /Another request is requeuing/],
])('a requeue with the outcome %s fails with the code %s', async (kind, code, detail) => {
  const requeue = createRequeueDeadLetter({
    repository: { requeue: async () => ({ kind }) as Outcome },
    publisher: { publish: async () => {} },
  });
  await expect(requeue('l', systemAuthor)).rejects.toMatchObject({
    code,
    detail: expect.stringMatching(detail),
  });
});
