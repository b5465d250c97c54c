import { until } from '@tocsin/testing';
import { createStage, type Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await createStage({ slots: 1 });
});
afterAll(() => stage.close());

test('with a single slot, the next delivery is sent while the previous one is recorded', async () => {
  const { id, path } = await stage.addTarget();
  const plans = Array.from({ length: 5 }, () => stage.plan([id], { state: 'waiting' }));
  await stage.write(plans);
  const lock = await stage.database.knex.transaction();
  await lock.raw('lock table attempts in share mode');
  try {
    await stage.startWorker();
    await until('all have been sent', () => stage.destination.at(path).length === 5);
  } finally {
    await lock.commit();
  }
  const ids = plans.map(({ deliveries }) => deliveries[0]!.id);
  const rows = await until('all are recorded', async () => {
    const found = await stage.database
      .knex('deliveries')
      .whereIn('id', ids)
      .select('status', 'attempts_made');
    return found.every(({ status }) => status === 'succeeded') && found;
  });
  expect(rows).toEqual(ids.map(() => ({ status: 'succeeded', attempts_made: 1 })));
});
