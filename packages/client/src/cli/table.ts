import { cutToWidth, printable, widthOf } from './text.js';

export interface Column<Row> {
  title: string;
  value(row: Row): string;
  /** Applied after the cell is laid out, so that it takes no room. */
  paint?: (cell: string, row: Row) => string;
}

const gap = '  ';

/**
 * Lines of a table. Where `columns` says how wide the terminal is, the widest column gives way until the lines fit;
 * a pipe gets everything.
 */
export function layOutTable<Row>(
  rows: readonly Row[],
  { columns, terminalWidth }: { columns: readonly Column<Row>[]; terminalWidth: number | undefined },
): string[] {
  const cells = rows.map((row) => columns.map(({ value }) => printable(value(row))));
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...cells.map((line) => widthOf(line[index] ?? ''))),
  );
  if (terminalWidth !== undefined) shrink(widths, terminalWidth - gap.length * (columns.length - 1));
  const layOut = (line: readonly string[], paint: (cell: string, index: number) => string) =>
    line
      .map((cell, index) => paint(pad(cutToWidth(cell, widths[index] ?? 0), widths[index] ?? 0), index))
      .join(gap)
      .trimEnd();
  const titles = columns.map(({ title }) => title);
  return [
    layOut(titles, (cell) => cell),
    ...cells.map((line, number) =>
      layOut(line, (cell, index) => columns[index]?.paint?.(cell, rows[number] as Row) ?? cell),
    ),
  ];
}

const narrowest = 8;

function shrink(widths: number[], room: number): void {
  const total = () => widths.reduce((sum, width) => sum + width, 0);
  for (let excess = total() - room; excess > 0; excess = total() - room) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) return;
    widths[widths.indexOf(widest)] = Math.max(narrowest, widest - excess, secondOf(widths, widest) - 1);
  }
}

function secondOf(widths: number[], widest: number): number {
  const rest = widths.filter((width) => width < widest);
  return rest.length === 0 ? narrowest : Math.max(...rest);
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}
