import type { Io, Terminal } from './io.js';
import { type Column, layOutTable } from './table.js';
import { printable, printableLines } from './text.js';

export type Color = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

export interface Output {
  json: boolean;
  /** A value for programs; people see what `show` prints. */
  value(value: unknown, show: () => void): void;
  /** A list: a JSON array, or a table. It is read to its end first, so that the columns fit. */
  list<Row>(
    rows: AsyncIterable<Row>,
    table: { columns: readonly Column<Row>[]; limit?: number; none: string },
  ): Promise<void>;
  /** Facts, one a line; a text of several lines stands below its name. */
  facts(facts: Record<string, string | number | boolean | null | undefined>): void;
  line(text: string): void;
  /** One JSON document on one line, for what never ends. */
  jsonLine(value: unknown): void;
  /** For people, beside the result: on stderr. */
  note(text: string): void;
  /** A line that replaces itself, on a terminal only; undefined removes it. */
  progress(text: string | undefined): void;
  paint(text: string, color: Color): string;
}

const codes: Record<Color, [number, number]> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  dim: [2, 22],
  bold: [1, 22],
};

export function createOutput(
  { stdout, stderr, env }: Io,
  options: { json: boolean; color: boolean },
): Output {
  const colored = options.color && stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  let progressShown = false;
  const line = (text: string) => {
    clearProgress();
    stdout.write(`${text}\n`);
  };
  const clearProgress = () => {
    if (progressShown) stderr.write('\r\u001b[K');
    progressShown = false;
  };

  return {
    json: options.json,
    line,
    value(value, show) {
      if (options.json) line(JSON.stringify(value, null, 2));
      else show();
    },
    async list(rows, { columns, limit = Number.POSITIVE_INFINITY, none }) {
      const read = await take(rows, limit);
      if (options.json) return line(JSON.stringify(read, null, 2));
      if (read.length === 0) return this.note(none);
      const [titles = '', ...lines] = layOutTable(read, { columns, terminalWidth: widthOf(stdout) });
      line(this.paint(titles, 'bold'));
      for (const row of lines) line(row);
    },
    facts(facts) {
      const shown = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
      const width = Math.max(...shown.map(([name]) => name.length));
      for (const [name, value] of shown) {
        const text = printableLines(String(value)).trimEnd();
        const label = this.paint(name.padEnd(width), 'bold');
        line(text.includes('\n') ? `${label}\n${text.replaceAll(/^/gm, '  ')}` : `${label}  ${text}`);
      }
    },
    jsonLine: (value) => line(JSON.stringify(value)),
    note(text) {
      clearProgress();
      stderr.write(`${printableLines(text)}\n`);
    },
    progress(text) {
      if (stderr.isTTY !== true) return;
      clearProgress();
      if (text === undefined) return;
      stderr.write(printable(text));
      progressShown = true;
    },
    paint: (text, color) => (colored ? `\u001b[${codes[color][0]}m${text}\u001b[${codes[color][1]}m` : text),
  };
}

function widthOf({ isTTY, columns }: Terminal): number | undefined {
  return isTTY === true ? columns : undefined;
}

async function take<Row>(rows: AsyncIterable<Row>, limit: number): Promise<Row[]> {
  const taken: Row[] = [];
  if (limit <= 0) return taken;
  for await (const row of rows) if (taken.push(row) >= limit) break;
  return taken;
}
