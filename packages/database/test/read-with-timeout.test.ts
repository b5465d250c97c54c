import { useTestDatabase } from '@tocsin/testing/database';
import { isStatementTimeout } from '../src/errors.js';
import { readWithTimeout } from '../src/read-with-timeout.js';

const db = useTestDatabase();

test('readWithTimeout limits the time of its own statements, and not of later statements', async () => {
  const reading = readWithTimeout(db.database, 50, (trx) => trx.raw('select pg_sleep(60)'));
  const error = await reading.catch((thrown: unknown) => thrown);
  expect(isStatementTimeout(error)).toBe(true);
  const { rows } = await db.database.knex.raw(`show statement_timeout`);
  expect(rows[0].statement_timeout).toBe('30s');
});

test('the time limit of a read covers all its statements together', async () => {
  const reading = readWithTimeout(db.database, 200, async (trx, limitNext) => {
    for (;;) {
      await trx.raw('select pg_sleep(0.05)');
      await limitNext();
    }
  });
  const error = await reading.catch((thrown: unknown) => thrown);
  expect(isStatementTimeout(error)).toBe(true);
});

test('all statements of a read see one snapshot', async () => {
  const counts = await readWithTimeout(db.database, 5_000, async (trx) => {
    const count = async () => (await trx.raw('select count(*)::integer from webhook_pauses')).rows[0].count;
    const before = await count();
    await db.database.knex.raw(
      `insert into webhook_pauses (webhook_id, reason, paused_until, times) values (gen_random_uuid(), 'circuit', now(), 1)`,
    );
    return [before, await count()];
  });
  expect(counts).toEqual([0, 0]);
});
