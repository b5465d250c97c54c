import type { Command } from 'commander';
import type { Paged } from '../api/requests.js';
import type { Output } from './output.js';
import type { Column } from './table.js';

/** Option of every command that prints a list. */
export interface CountFlag {
  count?: boolean | undefined;
}

export function withCount(command: Command): Command {
  return command.option('--count', 'print only their number; 10000+ if there are more');
}

/** Prints a list, or only the number of its entries with `--count`. */
export async function showList<Row>(
  rows: Paged<Row>,
  {
    out,
    count = false,
    limit,
    ...table
  }: CountFlag & {
    out: Output;
    columns: readonly Column<Row>[];
    limit?: number | undefined;
    none: string;
  },
): Promise<void> {
  if (!count) return out.list(rows, { ...table, ...(limit !== undefined && { limit }) });
  const total = await rows.count();
  out.value({ count: total.count, more: total.isMore }, () =>
    out.line(`${total.count}${total.isMore ? '+' : ''}`),
  );
}
