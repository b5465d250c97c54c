import type { Runtime } from '../evaluator/runtime.js';
import { getItem } from '../methods/attributes.js';
import { Undefined } from '../values/simple-values.js';
import { isString, sameKind, textOf } from '../values/text.js';
import type { Value } from '../values/value.js';

export function ignoreCase(value: Value, runtime: Runtime): Value {
  if (!isString(value)) return value;
  runtime.budget.string(textOf(value).length);
  return sameKind(value, textOf(value).toLowerCase());
}

export type AttributeGetter = (item: Value) => Value;

interface GetterOptions {
  readonly postprocess?: (value: Value, runtime: Runtime) => Value;
  readonly fallback?: Value;
}

/**
 * Implements Jinja2's `make_attrgetter`. The getter makes three look-ups for the attribute `a.b.0`, and one for an int.
 * For the attribute None, the getter returns the item itself.
 */
export function attributeGetter(
  attribute: Value,
  runtime: Runtime,
  { postprocess, fallback = null }: GetterOptions = {},
): AttributeGetter {
  const parts = attributeParts(attribute, runtime);
  return (item) => {
    runtime.budget.charge(Math.max(1, parts.length));
    let value = item;
    for (const part of parts) {
      value = getItem(value, part, runtime);
      if (fallback !== null && value instanceof Undefined) value = fallback;
    }
    return postprocess === undefined ? value : postprocess(value, runtime);
  };
}

/** Returns a getter for comma-separated attributes. It returns the list of their values, which is a key for `sort`. */
export function multiAttributeGetter(
  attribute: Value,
  runtime: Runtime,
  postprocess: GetterOptions['postprocess'],
): AttributeGetter {
  if (isString(attribute)) runtime.budget.items(textOf(attribute).length);
  const attributes = isString(attribute) ? textOf(attribute).split(',') : [attribute];
  const getters = attributes.map((part) =>
    attributeGetter(part, runtime, postprocess === undefined ? {} : { postprocess }),
  );
  return (item) => getters.map((getter) => getter(item));
}

function attributeParts(attribute: Value, runtime: Runtime): Value[] {
  if (attribute === null) return [];
  if (!isString(attribute)) return [attribute];
  runtime.budget.items(textOf(attribute).length);
  return textOf(attribute)
    .split('.')
    .map((part) => (/^\d{1,15}$/.test(part) ? BigInt(part) : part));
}
