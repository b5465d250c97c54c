import { Markup, Range } from './simple-values.js';
import { Dict, NativeObject, Tuple, type Value } from './value.js';

/** Returns the name of a value's type in Python. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'bigint':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    default:
      return objectTypeName(value);
  }
}

function objectTypeName(value: Exclude<Value, string | bigint | number | boolean>): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Markup) return value.kind === 'captured' ? 'str' : 'Markup';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof Dict) return 'dict';
  if (value instanceof Range) return 'range';
  if (value instanceof NativeObject) return value.typeName;
  return 'Undefined';
}

/** Returns the description of an object in Jinja2's messages about undefined attributes. */
export function objectTypeRepr(value: Value): string {
  return value === null ? 'None' : `${typeName(value)} object`;
}
