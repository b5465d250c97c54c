import { type Color, cutToWidth, printable, widthOf } from './text.js';

export interface Column<Row> {
  title: string;
  value(row: Row): string;
  /** If true, cells of this column are never truncated. This is useful for ids, which people copy. */
  whole?: boolean;
  /** Colour of the cell. */
  color?: (row: Row) => Color;
}

const gap = '  ';

/**
 * Returns the lines of a table, with control characters escaped. If the lines are longer than `terminalWidth`, the
 * widest columns are truncated, except those with `whole`. If `terminalWidth` is undefined, nothing is truncated.
 */
export function layOutTable<Row>(
  rows: readonly Row[],
  {
    columns,
    terminalWidth,
    paint,
  }: {
    columns: readonly Column<Row>[];
    terminalWidth: number | undefined;
    /**
     * Adds escape sequences for a colour to a text. Called after the column widths are computed, because escape
     * sequences take no space on the terminal.
     */
    paint: (text: string, color: Color) => string;
  },
): string[] {
  const cells = rows.map((row) => columns.map(({ value }) => printable(value(row))));
  const widths = columns.map(({ title }, index) =>
    cells.reduce((widest, line) => Math.max(widest, widthOf(line[index] ?? '')), widthOf(title)),
  );
  if (terminalWidth !== undefined) {
    const shrinkable = [...columns.keys()].filter((index) => columns[index]?.whole !== true);
    shrink(widths, { shrinkable, maxWidth: terminalWidth - gap.length * (columns.length - 1) });
  }
  const layOut = (line: readonly string[], finish: (cell: string, index: number) => string) =>
    line
      .map((cell, index) => finish(pad(cutToWidth(cell, widths[index] ?? 0), widths[index] ?? 0), index))
      .join(gap)
      .trimEnd();
  const titles = columns.map(({ title }) => title);
  return [
    paint(
      layOut(titles, (cell) => cell),
      'bold',
    ),
    ...cells.map((line, number) =>
      layOut(line, (cell, index) => {
        const color = columns[index]?.color?.(rows[number] as Row);
        return color === undefined ? cell : paint(cell, color);
      }),
    ),
  ];
}

const narrowest = 5;

/**
 * Repeatedly makes the widest column of `shrinkable` narrower by one terminal cell, until the sum of all widths is at
 * most `maxWidth` or no column of `shrinkable` is wider than 5 cells.
 */
function shrink(
  widths: number[],
  { shrinkable, maxWidth }: { shrinkable: number[]; maxWidth: number },
): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - maxWidth;
  while (excess > 0) {
    const widest = shrinkable.reduce(
      (a, b) => ((widths[b] ?? 0) > (widths[a] ?? 0) ? b : a),
      shrinkable[0] ?? 0,
    );
    const width = widths[widest] ?? 0;
    if (shrinkable.length === 0 || width <= narrowest) return;
    widths[widest] = width - 1;
    excess -= 1;
  }
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}
