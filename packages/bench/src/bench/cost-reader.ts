import type { Database } from '@tocsin/database';

/** Size of a table and its partitions, in bytes. */
export interface TableSize {
  heap: number;
  indexes: number;
  /** Size of values that are stored outside their rows (TOAST), of the free space map and of the visibility map. */
  toast: number;
}

const tables = ['alerts', 'alert_keys', 'deliveries', 'attempts'] as const;
export type HistoryTable = (typeof tables)[number];

/** Returns the sizes of the history tables and of `alert_keys`. */
export async function readSizes({ knex }: Database): Promise<Record<HistoryTable, TableSize>> {
  const { rows } = await knex.raw<{ rows: (TableSize & { name: HistoryTable })[] }>(
    `select root.relname as name, sum(pg_relation_size(leaf.oid))::float8 as heap,
            sum(pg_indexes_size(leaf.oid))::float8 as indexes,
            sum(pg_table_size(leaf.oid) - pg_relation_size(leaf.oid))::float8 as toast
     from pg_class root
     cross join lateral (
       select relid as oid from pg_partition_tree(root.oid) where isleaf
       union select root.oid where root.relkind = 'r') leaf
     where root.relname = any(?) group by root.relname`,
    [[...tables]],
  );
  const sizeOf = (name: HistoryTable) => {
    const { heap, indexes, toast } = rows.find((row) => row.name === name)!;
    return { heap, indexes, toast };
  };
  return Object.fromEntries(tables.map((name) => [name, sizeOf(name)])) as Record<HistoryTable, TableSize>;
}

/** Returns the end position of the write-ahead log. The difference of two results is the number of bytes written. */
export async function readWalBytes({ knex }: Database): Promise<number> {
  const { rows } = await knex.raw(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
  );
  return rows[0].bytes;
}

export interface UpdateCounts {
  updates: number;
  /** Number of updates that changed no index (heap-only tuple updates, HOT). */
  hot: number;
}

/**
 * Returns the update counts of a table and its partitions. A finished update appears in these counters some seconds
 * later.
 */
export async function readUpdateCounts({ knex }: Database, table: string): Promise<UpdateCounts> {
  await knex.raw('select pg_stat_clear_snapshot()');
  const { rows } = await knex.raw(
    `select coalesce(sum(n_tup_upd), 0)::float8 as updates, coalesce(sum(n_tup_hot_upd), 0)::float8 as hot
     from pg_stat_user_tables where relname ~ ?`,
    [`^${table}(_\\d{8})?$`],
  );
  return rows[0];
}

/**
 * Runs a checkpoint. The first change of each page after a checkpoint writes the whole page to the write-ahead log, so
 * only measurements that start with a checkpoint are comparable.
 */
export async function checkpoint({ knex }: Database): Promise<void> {
  await knex.raw('checkpoint');
}
