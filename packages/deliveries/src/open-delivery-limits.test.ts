import { readEnv } from '@tocsin/kit';
import { readOpenDeliveryLimits } from './open-delivery-limits.js';

const limitsOf = (env: Record<string, string>) => readEnv(env, readOpenDeliveryLimits);

test('the default limits are 100,000 open deliveries of a webhook and 1,000,000 of a workspace', () => {
  expect(limitsOf({})).toEqual({ perWebhook: 100_000, perWorkspace: 1_000_000 });
  const set = { MAX_OPEN_PER_WEBHOOK: '1', MAX_OPEN_DELIVERIES: '2' };
  expect(limitsOf(set)).toEqual({ perWebhook: 1, perWorkspace: 2 });
});

test.each(['MAX_OPEN_PER_WEBHOOK', 'MAX_OPEN_DELIVERIES'])('the setting %s must not be 0', (name) => {
  expect(() => limitsOf({ [name]: '0' })).toThrow(name);
});
