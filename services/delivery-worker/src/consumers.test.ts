import type { Broker } from '@tocsin/messaging';
import { createConsumers } from './consumers.js';

test('draining leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  await createConsumers({} as Broker, () => {}).drain();
  expect(timers()).toBe(before);
});
