import { createMetrics } from '@tocsin/kit';
import { createLeaseMetrics } from './lease-metrics.js';

test('the lease metrics show the number of expired leases and whether the database is writable', async () => {
  const registry = createMetrics({ service: 'test' });
  let isWritable = true;
  const { leasesExpired } = createLeaseMetrics(registry, () => isWritable);
  const values = async () => {
    const { text } = await registry.expose();
    const names = ['leases_expired_total', 'database_writable'];
    return names.map((name) => Number(new RegExp(`^tocsin_${name}\\{.*\\} (.*)$`, 'm').exec(text)?.[1]));
  };
  expect(await values()).toEqual([0, 1]);
  leasesExpired(3);
  leasesExpired(2);
  isWritable = false;
  expect(await values()).toEqual([5, 0]);
});
