import { nearest } from '../nearest.js';
import type { Rendering } from '../rendering.js';
import { BoundMethod } from '../values/callables.js';
import { numeric } from '../values/equality.js';
import { repr } from '../values/repr.js';
import type { NativeFunction } from '../values/signature.js';
import { Markup, Range, Undefined } from '../values/simple-values.js';
import { tryGetItem } from '../values/subscript.js';
import { objectTypeRepr, typeName } from '../values/type-name.js';
import { Dict, GroupTuple, NativeObject, Tuple, type Value } from '../values/value.js';
import { dictMethods } from './dict-methods.js';
import { listMethods, rangeMethods, tupleMethods } from './list-methods.js';
import { floatMethods, intMethods } from './number-methods.js';
import { createStrMethods } from './str-methods.js';

const strMethods = createStrMethods({ getAttribute, getItem });

/** Implements Jinja2's sandboxed `value.name`. Returns an attribute, otherwise an item, otherwise an Undefined. */
export function getAttribute(value: Value, name: string, rendering: Rendering): Value {
  if (value instanceof Undefined && !instanceAttributes.has(name)) value.fail();
  const attribute = attributeOf(value, name, rendering);
  if (attribute !== undefined) return attribute;
  if (isPythonAttribute(name)) return unsafe(value, name);
  const item = tryGetItem(value, name, rendering);
  return item === undefined ? undefinedAttribute(value, name, rendering) : item;
}

/** Implements Jinja2's sandboxed `value[key]`. Returns an item, otherwise an attribute, otherwise an Undefined. */
export function getItem(value: Value, key: Value, rendering: Rendering): Value {
  const item = tryGetItem(value, key, rendering);
  if (item !== undefined) return item;
  const name = key instanceof Markup ? key.text : key;
  if (typeof name !== 'string') return undefinedAttribute(value, key, rendering);
  const attribute = attributeOf(value, name, rendering);
  if (attribute !== undefined) return attribute;
  return isPythonAttribute(name) ? unsafe(value, name) : undefinedAttribute(value, name, rendering);
}

/** Looks up an attribute, but never an item, as the filter `attr` does. Returns undefined if there is none. */
export function attributeOf(value: Value, name: string, rendering: Rendering): Value | undefined {
  if (name.startsWith('_')) return undefined;
  if (value instanceof NativeObject) return value.attribute(name, rendering);
  if (value === null || value instanceof Undefined) return undefined;
  const method = methodsOf(value).get(name);
  if (method !== undefined) return new BoundMethod(value, method);
  if (value instanceof GroupTuple) return name === 'grouper' || name === 'list' ? value[name] : undefined;
  if (typeof value === 'bigint' || typeof value === 'boolean' || typeof value === 'number') {
    return numberAttribute(numeric(value), name);
  }
  return value instanceof Range ? rangeAttribute(value, name) : undefined;
}

export function undefinedAttribute(value: Value, name: Value, rendering: Rendering): Undefined {
  const object = objectTypeRepr(value);
  if (typeof name !== 'string') return new Undefined(`${object} has no element ${repr(name, rendering)}`);
  const message = `'${object}' has no attribute '${name}'`;
  if (!(value instanceof Dict)) return new Undefined(message);
  return new Undefined(message, { suggest: () => nearestKey(name, value) });
}

/** Maximum number of dict keys that are searched for a similar name. */
const maxKeys = 100;

function nearestKey(name: string, dict: Dict): string | undefined {
  return nearest(
    name,
    dict
      .keys()
      .slice(0, maxKeys)
      .filter((key) => typeof key === 'string'),
  );
}

export function unsafe(value: Value, name: string): Undefined {
  return new Undefined(`access to attribute '${name}' of '${typeName(value)}' object is unsafe.`, {
    errorType: 'SecurityError',
  });
}

function methodsOf(
  value: Exclude<Value, null | NativeObject | Undefined>,
): ReadonlyMap<string, NativeFunction> {
  switch (typeof value) {
    case 'string':
      return strMethods;
    case 'bigint':
    case 'boolean':
      return intMethods;
    case 'number':
      return floatMethods;
    default:
      if (Array.isArray(value)) return listMethods;
      if (value instanceof Dict) return dictMethods;
      if (value instanceof Tuple) return tupleMethods;
      return value instanceof Markup ? strMethods : rangeMethods;
  }
}

function numberAttribute(value: bigint | number, name: string): Value | undefined {
  if (name === 'real') return value;
  if (name === 'imag') return typeof value === 'bigint' ? 0n : 0;
  if (typeof value !== 'bigint') return undefined;
  if (name === 'numerator') return value;
  return name === 'denominator' ? 1n : undefined;
}

function rangeAttribute(range: Range, name: string): Value | undefined {
  return name === 'start' || name === 'stop' || name === 'step' ? range[name] : undefined;
}

/**
 * Returns true for the special attributes (`__class__` and others) of Python objects, types and functions. For these
 * attributes, Jinja2's sandbox returns an undefined value whose use raises a SecurityError.
 */
export function isPythonAttribute(name: string): boolean {
  return instanceAttributes.has(name) || typeAttributes.has(name);
}

const instanceAttributes = dunders(
  'class doc init new repr str hash eq ne lt le gt ge getattribute setattr delattr dir format init_subclass reduce ' +
    'reduce_ex sizeof subclasshook dict module weakref call len iter next getitem setitem delitem contains add radd ' +
    'sub rsub mul rmul mod rmod truediv floordiv pow neg pos abs int float bool index round html html_format ' +
    'getnewargs getstate reversed class_getitem ior or ror',
);

/** Attributes that only types and functions have. */
const typeAttributes = dunders(
  'base bases mro name qualname subclasses globals code closure defaults kwdefaults annotations builtins func self ' +
    'wrapped',
);

function dunders(names: string): ReadonlySet<string> {
  return new Set(names.split(' ').map((name) => `__${name}__`));
}
