import { readFileSync } from 'node:fs';
import { clientOf, setting } from './deployment.js';

// This test requires that deployed.test.ts has run before, and that the database was then backed up, dropped and
// restored.

test('after a restore, a delivery from before the backup exists and its webhook can be decrypted', async () => {
  const before = JSON.parse(readFileSync(setting('DELIVERY_FILE'), 'utf8')) as Record<string, string>;
  const tocsin = await clientOf('ADMIN');
  expect(await tocsin.deliveries.get(before.id ?? '')).toMatchObject({
    status: 'succeeded',
    response: { status_code: 200, response: '{"received": true}' },
  });
  expect(await tocsin.webhooks.get(before.webhook_id ?? '')).toMatchObject({ url: before.url });
});
