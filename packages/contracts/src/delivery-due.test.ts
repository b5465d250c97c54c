import {
  type DeliveryDue,
  decodeDeliveriesDue,
  encodeDeliveriesDue,
  maxDeliveriesInMessage,
} from './delivery-due.js';

const one: DeliveryDue = { deliveryId: '01a1fd01-5427-887e-b299-4e0cfe56edea', generation: 1 };
const other: DeliveryDue = { deliveryId: '01a1fd01-5427-85ea-9794-fde7892ae6ce', generation: 17 };

test.each([[[one]], [[one, other]], [Array.from({ length: maxDeliveriesInMessage }, () => other)]])(
  'deliveries come out of a message as they went in, %#',
  (due) => {
    expect(decodeDeliveriesDue(encodeDeliveriesDue(due))).toEqual(due);
  },
);

test.each([
  '',
  '\n',
  'null',
  '[]',
  one.deliveryId,
  `${one.deliveryId}/`,
  `${one.deliveryId}/0`,
  `${one.deliveryId}/-1`,
  `${one.deliveryId}/1.5`,
  `${one.deliveryId}/1e99`,
  `${one.deliveryId}/2147483648`,
  `${one.deliveryId.toUpperCase()}/1`,
  `${one.deliveryId}/1\n`,
  `${one.deliveryId}/1\n\u0000`,
  `${one.deliveryId}/1,${one.deliveryId}/1`,
])('a message that we did not make is refused whole: %j', (text) => {
  expect(decodeDeliveriesDue(Buffer.from(text))).toBeUndefined();
});
