import { until } from '@tocsin/testing';
import { useWorkerHarness } from './support/worker-harness.js';

const harness = useWorkerHarness({ slots: 1 });

test('a worker with one slot sends the next delivery while the previous one is being recorded', async () => {
  // Each delivery has its own webhook, because a worker with one slot queues one delivery at a time for a webhook that
  // is not responsive. A second delivery of the webhook would not be queued while the recording is blocked.
  const targets = await Promise.all(Array.from({ length: 5 }, () => harness.addTarget()));
  const plans = targets.map(({ id }) => harness.plan([id], { state: 'waiting' }));
  await harness.write(plans);
  const lock = await harness.database.knex.transaction();
  await lock.raw('lock table attempts in share mode');
  try {
    await harness.startWorker();
    await until('all have been sent', () =>
      targets.every(({ path }) => harness.destination.at(path).length === 1),
    );
  } finally {
    await lock.commit();
  }
  const ids = plans.map(({ deliveries }) => deliveries[0]!.id);
  const rows = await until('all are recorded', async () => {
    const found = await harness.database
      .knex('deliveries')
      .whereIn('id', ids)
      .select('status', 'attempts_made');
    return found.every(({ status }) => status === 'succeeded') && found;
  });
  expect(rows).toEqual(ids.map(() => ({ status: 'succeeded', attempts_made: 1 })));
});
