import type { DeliveryDue } from '@tocsin/contracts';
import { createInFlightDeliveries } from './in-flight-deliveries.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function start() {
  const claimed: DeliveryDue[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const inFlight = createInFlightDeliveries((due) => {
    claimed.push(due);
    return new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
  });
  const receive = (run = 1) => inFlight.deliverDue({ deliveryId: 'd', run });
  const end = async (error?: Error) => {
    ends.shift()!(error);
    await settled();
  };
  return { inFlight, claimed, receive, end };
}

test('if several messages name a delivery in flight, only that with the latest run is processed', async () => {
  const { inFlight, claimed, receive, end } = start();
  void receive();
  await Promise.all([receive(1), receive(3), receive(2)]);
  expect(claimed).toHaveLength(1);
  await end();
  expect(claimed.map(({ run }) => run)).toEqual([1, 3]);
  await end();
  expect([claimed.length, inFlight.size()]).toEqual([2, 0]);
});

test('a message that waits for a delivery in flight is processed even if that delivery throws', async () => {
  const { inFlight, claimed, receive, end } = start();
  const failing = receive();
  await receive();
  const failed = expect(failing).rejects.toThrow('rejected');
  await end(new Error('rejected'));
  expect([claimed.length, inFlight.size()]).toEqual([2, 1]);
  await end();
  await failed;
});

test('drained() resolves when the last delivery in flight has ended', async () => {
  const { inFlight, receive, end } = start();
  await inFlight.drained();
  void receive();
  void receive();
  let isDrained = false;
  const drained = inFlight.drained().then(() => {
    isDrained = true;
  });
  await end();
  expect(isDrained).toBe(false);
  await end();
  await drained;
});
