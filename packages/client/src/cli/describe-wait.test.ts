import type { Delivery, Webhook } from '../api/schemas.js';
import { describePause, describeWait } from './describe-wait.js';

test('describeWait returns the reason of a waiting delivery, and null for other deliveries', () => {
  expect(describeWait({ waiting_reason: 'no_slot' } as Delivery)).toContain('free slot');
  expect(describeWait({ waiting_reason: null } as Delivery)).toBeNull();
});

test('the description of a pause contains its start, end, reason and error', () => {
  const paused = { since: 'S', until: 'U', error: 'It failed.' };
  expect(describePause({ paused: { ...paused, reason: 'retry_after' } } as Webhook)).toBe(
    'until U, since S: the destination asked for it with Retry-After (It failed.)',
  );
  expect(describePause({ paused: { ...paused, reason: 'manual', error: null } } as Webhook)).toBe(
    'until U, since S: a user asked for it',
  );
  expect(describePause({ paused: null } as Webhook)).toBeNull();
});
