import type { Runtime } from '../evaluator/runtime.js';
import { htmlsafeJsonDumps } from '../json/dumps.js';
import { integerArgument } from '../methods/arguments.js';
import { compare } from '../values/compare.js';
import { repr } from '../values/repr.js';
import { Markup } from '../values/simple-values.js';
import { isString, textOf } from '../values/text.js';
import type { Value } from '../values/value.js';
import { Dict, Tuple } from '../values/value.js';
import { type Filter, filter } from './filter.js';

/** Returns the filters `tojson` and `pprint`, which convert a value and everything in it to text. */
export function jsonFilters(): Filter[] {
  return [
    filter(
      'tojson',
      [['indent', null]],
      (runtime, value, indent) =>
        new Markup(
          htmlsafeJsonDumps(value, indentText(indent!, runtime), runtime),
          runtime.options.json ? 'json' : 'html',
        ),
    ),
    filter('pprint', [], (runtime, value) => prettyFormat(value, runtime)),
  ];
}

function indentText(indent: Value, runtime: Runtime): string | undefined {
  if (indent === null) return undefined;
  if (isString(indent)) return textOf(indent);
  const width = Math.max(0, integerArgument(indent));
  runtime.budget.string(width);
  return ' '.repeat(width);
}

const width = 80;

/**
 * Implements Python's `pprint.pformat`. The result is one line if the value fits in 80 columns, otherwise one line for
 * each item. The keys of a dict are sorted if all are strings. Unlike in Python, a long string is not split.
 */
function prettyFormat(value: Value, runtime: Runtime): string {
  return format(value, { indent: 0, allowance: 0, runtime });
}

/** Budget steps for printing one item on its own line (duration: about 0.5 µs). */
const lineSteps = 4;

interface Place {
  readonly indent: number;
  /** Number of characters that follow the value on its last line, such as closing brackets. */
  readonly allowance: number;
  readonly runtime: Runtime;
}

function format(value: Value, place: Place): string {
  const { runtime, indent, allowance } = place;
  runtime.budget.charge(lineSteps);
  const line = sortedRepr(value, runtime);
  if (line.length <= width - indent - allowance) return line;
  runtime.budget.descend();
  const text = formatLong(value, line, place);
  runtime.budget.ascend();
  return text;
}

function formatLong(value: Value, line: string, place: Place): string {
  if (Array.isArray(value) && value.length > 0) return `[${formatItems(value, place, ']')}`;
  if (value instanceof Tuple && value.items.length > 0) {
    return `(${formatItems(value.items, place, value.items.length === 1 ? ',)' : ')')}`;
  }
  if (value instanceof Dict && value.size > 0) return `{${formatDict(value, place)}}`;
  return line;
}

function formatItems(items: readonly Value[], { indent, allowance, runtime }: Place, close: string): string {
  const lines = items.map((item, index) =>
    format(item, {
      indent: indent + 1,
      allowance: index === items.length - 1 ? allowance + close.length : 1,
      runtime,
    }),
  );
  return joinLines(lines, indent + 1, runtime) + close;
}

function formatDict(dict: Dict, { indent, allowance, runtime }: Place): string {
  const entries = sortedEntries(dict, runtime);
  const lines = entries.map(([key, value], index) => {
    const head = `${sortedRepr(key, runtime)}: `;
    const isLast = index === entries.length - 1;
    return (
      head +
      format(value, { indent: indent + 1 + head.length, allowance: isLast ? allowance + 1 : 1, runtime })
    );
  });
  return joinLines(lines, indent + 1, runtime);
}

/**
 * Joins lines with an indent. Steps are charged for the length of the result, because the indent can be wide: it
 * includes the keys of all outer dicts.
 */
function joinLines(lines: readonly string[], indent: number, runtime: Runtime): string {
  runtime.budget.string(lines.reduce((sum, line) => sum + line.length, lines.length * (indent + 2)));
  return lines.join(`,\n${' '.repeat(indent)}`);
}

function sortedEntries(dict: Dict, runtime: Runtime): [Value, Value][] {
  const entries = [...dict.entries()];
  runtime.budget.items(entries.length * Math.ceil(Math.log2(entries.length + 1)));
  if (!entries.every(([key]) => typeof key === 'string')) return entries;
  return entries.sort(([left], [right]) =>
    left === right ? 0 : compare(left, '<', right, runtime) ? -1 : 1,
  );
}

function sortedRepr(value: Value, runtime: Runtime): string {
  return repr(sortDicts(value, runtime), runtime);
}

function sortDicts(value: Value, runtime: Runtime): Value {
  if (typeof value !== 'object' || value === null) return value;
  runtime.budget.step();
  runtime.budget.descend();
  const sorted = sortInside(value, runtime);
  runtime.budget.ascend();
  return sorted;
}

function sortInside(value: Value, runtime: Runtime): Value {
  if (Array.isArray(value)) return value.map((item) => sortDicts(item, runtime));
  if (value instanceof Tuple) return new Tuple(value.items.map((item) => sortDicts(item, runtime)));
  if (!(value instanceof Dict)) return value;
  const sorted = new Dict();
  for (const [key, item] of sortedEntries(value, runtime))
    sorted.set(key, sortDicts(item, runtime), runtime.budget);
  return sorted;
}
