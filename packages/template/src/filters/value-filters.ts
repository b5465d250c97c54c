import { typeError } from '../failures.js';
import { attributeOf, isPythonAttribute, undefinedAttribute, unsafe } from '../values/attributes.js';
import { length } from '../values/iterate.js';
import { Markup } from '../values/markup.js';
import { softStr } from '../values/markup-text.js';
import { str } from '../values/repr.js';
import { isString, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import { Undefined } from '../values/undefined.js';
import { type Filter, filter } from './filter.js';

/** Filters for a value of any type. */
export function valueFilters(): Filter[] {
  return [
    filter(
      'default',
      [
        ['default_value', ''],
        ['boolean', false],
      ],
      (_, value, fallback, boolean) =>
        value instanceof Undefined || (isTrue(boolean!) && !isTrue(value)) ? fallback! : value,
    ),
    filter('length', [], (runtime, value) => BigInt(length(value, runtime))),
    filter('string', [], (runtime, value) => softStr(value, runtime)),
    filter('safe', [], (runtime, value) => {
      if (value instanceof Markup && value.kind !== 'html') return value;
      return new Markup(str(value, runtime), runtime.options.json ? 'json' : 'html');
    }),
    filter('attr', ['name'], (runtime, value, name) => {
      if (!isString(name!)) throw typeError(`attribute name must be string, not '${typeName(name!)}'`);
      const attribute = textOf(name);
      if (value instanceof Undefined && !attribute.startsWith('__')) value.fail();
      const found = attributeOf(value, attribute, runtime);
      if (found !== undefined) return found;
      return isPythonAttribute(attribute)
        ? unsafe(value, attribute)
        : undefinedAttribute(value, attribute, runtime);
    }),
  ];
}
