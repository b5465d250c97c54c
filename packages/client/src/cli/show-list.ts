import type { Command } from 'commander';
import type { Paged } from '../api/requests.js';
import type { Output } from './output.js';
import { parseCount } from './parse-values.js';
import type { Column } from './table.js';

/** Options of every command that prints a list. */
export interface PageFlags {
  limit?: number | undefined;
  count?: boolean | undefined;
}

/** Adds the options of a list. `limit` is the default of `--limit`. Without a default, the whole list is printed. */
export function withPageFlags(command: Command, { limit }: { limit?: number } = {}): Command {
  return withCount(command.option('--limit <count>', 'maximum number of results', parseCount, limit));
}

export function withCount(command: Command): Command {
  return command.option('--count', 'print only their number; 10000+ if there are more');
}

/** Returns the page size for a request: `limit`, but at most 1,000, which is the maximum of the API. */
export function pageSizeOf({ limit }: PageFlags): number | undefined {
  return limit && Math.min(limit, 1000);
}

/** Prints a list. With `--count`, prints only the number of its entries. */
export async function showList<Row>(
  rows: Paged<Row>,
  {
    out,
    options: { limit, count = false },
    ...table
  }: { out: Output; options: PageFlags; columns: readonly Column<Row>[]; none: string },
): Promise<void> {
  if (!count) return out.list(rows, { ...table, ...(limit !== undefined && { limit }) });
  const total = await rows.count();
  out.value({ count: total.count, more: total.isMore }, () =>
    out.line(`${total.count}${total.isMore ? '+' : ''}`),
  );
}
