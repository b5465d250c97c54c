import type { Io, Terminal } from './io.js';
import { type Column, layOutTable } from './table.js';
import { type Color, printable, printableJson, printableLines } from './text.js';

/**
 * A text and its colour. A terminal needs control characters for a colour. They cannot be part of `text`, because its
 * control characters are escaped when it is printed.
 */
interface Painted {
  text: string;
  color: Color;
}

type Text = string | Painted;

/** Output of a command. Control characters are printed as escapes, so that no response can control the terminal. */
export interface Output {
  json: boolean;
  /** With `--json`, prints `value` as JSON. Without it, calls `show`, which prints the value as text. */
  value(value: unknown, show: () => void): void;
  /**
   * Prints a list as a JSON array or a table. All rows are read before the first is printed, because the column widths
   * depend on them.
   */
  list<Row>(
    rows: AsyncIterable<Row>,
    table: { columns: readonly Column<Row>[]; limit?: number; none: string },
  ): Promise<void>;
  /**
   * Prints the name and the value of each field. Fields that are null or undefined are omitted. A value with several
   * lines is printed below its name.
   */
  facts(facts: Record<string, Text | number | boolean | null | undefined>): void;
  line(...parts: Text[]): void;
  /**
   * Prints a value as JSON on one line. The output of a command such as `tail` never ends, so it cannot be an array.
   */
  jsonLine(value: unknown): void;
  /** Prints a message on stderr, also with `--json`. */
  note(text: string): void;
  /**
   * Prints `text` in place of the last progress line; undefined removes that line. Does nothing if stderr is not a
   * terminal.
   */
  progress(text: string | undefined): void;
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
  const paint = (text: string, color: Color) =>
    colored ? `\u001b[${codes[color][0]}m${text}\u001b[${codes[color][1]}m` : text;
  const show = (text: Text) =>
    typeof text === 'string' ? printableLines(text) : paint(printableLines(text.text), text.color);
  /** Writes text without escaping it. Callers must have escaped control characters. */
  const write = (text: string) => {
    clearProgress();
    stdout.write(`${text}\n`);
  };
  const clearProgress = () => {
    if (progressShown) stderr.write('\r\u001b[K');
    progressShown = false;
  };

  return {
    json: options.json,
    line: (...parts) => write(parts.map(show).join('')),
    value(value, showValue) {
      if (options.json) write(printableJson(value, 2));
      else showValue();
    },
    async list(rows, { columns, limit = Number.POSITIVE_INFINITY, none }) {
      const read = await take(rows, limit);
      if (options.json) return write(printableJson(read, 2));
      if (read.length === 0) return this.note(none);
      const lines = layOutTable(read, { columns, terminalWidth: widthOf(stdout), paint });
      for (const line of lines) write(line);
    },
    facts(facts) {
      const shown = Object.entries(facts).flatMap(([name, value]) =>
        value === undefined || value === null ? [] : [[name, value] as const],
      );
      const width = Math.max(...shown.map(([name]) => name.length));
      for (const [name, value] of shown) {
        const text = show(typeof value === 'object' ? value : String(value)).trimEnd();
        const label = paint(name.padEnd(width), 'bold');
        write(text.includes('\n') ? `${label}\n${text.replaceAll(/^/gm, '  ')}` : `${label}  ${text}`);
      }
    },
    jsonLine: (value) => write(printableJson(value)),
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
