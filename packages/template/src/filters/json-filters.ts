import type { Runtime } from '../evaluator/runtime.js';
import { htmlsafeJsonDumps } from '../json/dumps.js';
import { integerArgument } from '../methods/arguments.js';
import { Markup } from '../values/markup.js';
import { isString, textOf } from '../values/text.js';
import type { Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';
import { prettyFormat } from './pretty-format.js';

/** Filters that write a value down whole. */
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
