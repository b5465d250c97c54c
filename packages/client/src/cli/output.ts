import type { Io, Terminal } from './io.js';
import { type Column, layOutTable } from './table.js';
import { printable, printableLines } from './text.js';

export type Color = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

export interface Output {
  json: boolean;
  /** Prints a value as JSON for programs, or with `show` for people. */
  value(value: unknown, show: () => void): void;
  /** Prints a list as a JSON array or a table. The list is read completely first, so that the columns fit. */
  list<Row>(
    rows: AsyncIterable<Row>,
    table: { columns: readonly Column<Row>[]; limit?: number; none: string },
  ): Promise<void>;
  /** Prints one field a line. A text of several lines is placed below its name. */
  facts(facts: Record<string, string | number | boolean | null | undefined>): void;
  line(text: string): void;
  /** Prints one JSON document on one line, for endless output. */
  jsonLine(value: unknown): void;
  /** Prints a note for people on stderr. */
  note(text: string): void;
  /** Shows a progress line that replaces the previous one, on a terminal only. Undefined removes it. */
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
