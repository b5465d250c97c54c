import {
  type DeliveryDue,
  decodeDeliveriesDue,
  encodeDeliveriesDue,
  maxDeliveriesInMessage,
} from './delivery-due.js';

const one: DeliveryDue = { deliveryId: '01a1fd01-5427-887e-b299-4e0cfe56edea', run: 1 };
const other: DeliveryDue = { deliveryId: '01a1fd01-5427-85ea-9794-fde7892ae6ce', run: 17 };

const longest: DeliveryDue = { ...other, run: 2_147_483_647 };
const times = (count: number, due: DeliveryDue) => Array.from({ length: count }, () => due);

test.each([[[one]], [[one, other]], [times(maxDeliveriesInMessage, longest)]])(
  'decoding an encoded message returns the same deliveries (case %#)',
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
  `${one.deliveryId}/ 0x1 `,
  `${one.deliveryId}/01`,
  encodeDeliveriesDue(times(maxDeliveriesInMessage + 1, one)).toString(),
  `${one.deliveryId}/2147483648`,
  `${one.deliveryId.toUpperCase()}/1`,
  `${one.deliveryId}/1\n`,
  `${one.deliveryId}/1\n\u0000`,
  `${one.deliveryId}/1,${one.deliveryId}/1`,
])('a delivery message with a malformed line is rejected as a whole: %j', (text) => {
  expect(decodeDeliveriesDue(Buffer.from(text))).toBeUndefined();
});

test('a delivery message above the maximum size is rejected without parsing', () => {
  const content = Object.assign(Buffer.alloc(769, '\n'), {
    toString() {
      throw new Error('It was read.');
    },
  });
  expect(decodeDeliveriesDue(content)).toBeUndefined();
});
