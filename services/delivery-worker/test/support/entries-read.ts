import type { Database } from '@tocsin/database';

/**
 * Resolves to the number of entries that `work` reads from the indexes of `open_deliveries`, or of the tables whose
 * names match the regular expression `tables`. `database` must have one connection, because PostgreSQL updates the
 * counters of other connections later.
 */
export async function countEntriesRead(
  { knex }: Database,
  work: () => Promise<unknown>,
  tables = '^open_deliveries$',
): Promise<number> {
  const read = async () => {
    await knex.raw('select pg_stat_force_next_flush()');
    const { rows } = await knex.raw(
      'select sum(idx_tup_read)::integer as entries from pg_stat_user_indexes where relname ~ ?',
      [tables],
    );
    return rows[0].entries as number;
  };
  const before = await read();
  await work();
  return (await read()) - before;
}
