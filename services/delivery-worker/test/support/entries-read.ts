import type { Database } from '@tocsin/database';

/**
 * Resolves to the number of index entries of `open_deliveries` that `work` reads. `database` must have one connection.
 */
export async function countEntriesRead({ knex }: Database, work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await knex.raw('select pg_stat_force_next_flush()');
    const { rows } = await knex.raw(
      `select sum(idx_tup_read)::integer as entries from pg_stat_user_indexes where relname = 'open_deliveries'`,
    );
    return rows[0].entries as number;
  };
  const before = await read();
  await work();
  return (await read()) - before;
}
