import type { DeliveryDue } from '@tocsin/contracts';
import { createLogger, type Logger } from '@tocsin/kit';
import type { Publication } from '@tocsin/messaging';
import { createDatabaseRetry } from '../database-retry.js';
import { createPublishDeliveries } from './publish-deliveries.js';

const silent = createLogger({ service: 'test', level: 'silent' });
const dueOf = (count: number): DeliveryDue[] =>
  Array.from({ length: count }, (_, index) => ({ deliveryId: `d${index}`, run: 1 }));

/** Publishes `count` deliveries. The broker confirms no message that contains a delivery in `refused`. */
async function publish(
  count: number,
  { refused = [] as string[], unqueueError = undefined as unknown } = {},
) {
  const sent: Publication[] = [];
  const unqueued: string[][] = [];
  const logged: unknown[] = [];
  const publishDeliveries = createPublishDeliveries({
    publisher: {
      async publish(publication) {
        sent.push(publication);
        const lines = publication.content.toString().split('\n');
        if (refused.some((id) => lines.includes(`${id}/1`))) throw new Error('not confirmed');
      },
    },
    repository: {
      async unqueue(deliveries) {
        unqueued.push(deliveries.map(({ deliveryId }) => deliveryId));
        if (unqueueError !== undefined) throw unqueueError;
      },
    },
    databaseRetry: createDatabaseRetry({ logger: silent, signal: new AbortController().signal }),
    logger: { warn: (...line: unknown[]) => logged.push(line) } as unknown as Logger,
  });
  const unconfirmed = await publishDeliveries(dueOf(count));
  return { unconfirmed, sent, unqueued, logged };
}

test('each published message contains at most 16 deliveries', async () => {
  const { sent, unconfirmed, unqueued } = await publish(33);
  expect(sent.map(({ content }) => content.toString().split('\n').length)).toEqual([16, 16, 1]);
  expect(sent.at(-1)).toEqual({
    exchange: 'tocsin.deliveries',
    routingKey: 'delivery.due',
    content: Buffer.from('d32/1'),
    contentType: 'text/plain',
  });
  expect([unconfirmed, unqueued, (await publish(0)).sent]).toEqual([0, [], []]);
});

test('only the deliveries of messages without a confirm return to the state waiting', async () => {
  const { unconfirmed, unqueued } = await publish(40, { refused: ['d20', 'd39'] });
  const ids = dueOf(40).map(({ deliveryId }) => deliveryId);
  expect([unconfirmed, unqueued]).toEqual([24, [ids.slice(16)]]);
});

test('an error while unconfirmed deliveries return to the state waiting is logged, not thrown', async () => {
  const err = new Error('no such column');
  const { unconfirmed, logged } = await publish(2, { refused: ['d0'], unqueueError: err });
  expect([unconfirmed, logged]).toEqual([2, [[{ err }, 'dispatch.unqueue_failed']]]);
});
