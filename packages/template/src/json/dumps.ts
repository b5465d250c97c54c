import { typeError, valueError } from '../failures.js';
import type { Rendering } from '../rendering.js';
import { compare } from '../values/compare.js';
import { floatRepr } from '../values/floats.js';
import { decimalText } from '../values/integers.js';
import { str } from '../values/repr.js';
import { Markup } from '../values/simple-values.js';
import { typeName } from '../values/type-name.js';
import { Dict, Tuple, type Value } from '../values/value.js';
import { escapeUnit } from './escape.js';

/**
 * Implements Jinja2's `tojson`, which is Python's `json.dumps(value, sort_keys=True)` with `<`, `>`, `&`, `'` escaped.
 */
export function htmlsafeJsonDumps(value: Value, indent: string | undefined, rendering: Rendering): string {
  const text = new JsonWriter(indent, rendering).write(value, 0);
  if (!/[<>&']/.test(text)) return text;
  return text.replace(/[<>&']/g, (character) => {
    rendering.budget.step();
    return `\\u00${character.charCodeAt(0).toString(16)}`;
  });
}

class JsonWriter {
  readonly #indent: string | undefined;
  readonly #rendering: Rendering;
  readonly #open = new Set<object>();

  constructor(indent: string | undefined, rendering: Rendering) {
    this.#indent = indent;
    this.#rendering = rendering;
  }

  write(value: Value, depth: number): string {
    this.#rendering.budget.step();
    switch (typeof value) {
      case 'string':
        return this.#string(value);
      case 'bigint':
        return decimalText(value, this.#rendering.budget);
      case 'number':
        return jsonNumber(value);
      case 'boolean':
        return value ? 'true' : 'false';
      default:
        return this.#object(value, depth);
    }
  }

  #object(value: Exclude<Value, string | bigint | number | boolean>, depth: number): string {
    if (value === null) return 'null';
    if (value instanceof Markup) return this.#string(value.text);
    const isArray = Array.isArray(value) || value instanceof Tuple;
    if (!isArray && !(value instanceof Dict)) {
      throw typeError(`Object of type ${typeName(value)} is not JSON serializable`);
    }
    if (this.#open.has(value)) throw valueError('Circular reference detected');
    this.#open.add(value);
    this.#rendering.budget.descend();
    const text =
      value instanceof Dict
        ? this.#dict(value, depth)
        : this.#list(Array.isArray(value) ? value : value.items, depth);
    this.#rendering.budget.ascend();
    this.#open.delete(value);
    return text;
  }

  #list(items: readonly Value[], depth: number): string {
    return this.#brackets(
      '[',
      items.map((item) => this.write(item, depth + 1)),
      ']',
      depth,
    );
  }

  #dict(dict: Dict, depth: number): string {
    const entries = [...dict.entries()];
    const rendering = this.#rendering;
    rendering.budget.items(entries.length * Math.ceil(Math.log2(entries.length + 1)));
    entries.sort(([left], [right]) =>
      compare(left, '<', right, rendering) ? -1 : compare(right, '<', left, rendering) ? 1 : 0,
    );
    const colon = ': ';
    const members = entries.map(
      ([key, item]) => this.#string(jsonKey(key, rendering)) + colon + this.write(item, depth + 1),
    );
    return this.#brackets('{', members, '}', depth);
  }

  #brackets(open: string, parts: readonly string[], close: string, depth: number): string {
    if (parts.length === 0) return open + close;
    const { budget } = this.#rendering;
    const length = parts.reduce((sum, part) => sum + part.length + 2, 0);
    if (this.#indent === undefined) {
      budget.string(length);
      return open + parts.join(', ') + close;
    }
    budget.string(length + parts.length * this.#indent.length * (depth + 1));
    const inner = `\n${this.#indent.repeat(depth + 1)}`;
    return `${open}${inner}${parts.join(`,${inner}`)}\n${this.#indent.repeat(depth)}${close}`;
  }

  #string(text: string): string {
    this.#rendering.budget.string(text.length);
    return `"${escapeAscii(text, this.#rendering)}"`;
  }
}

function jsonNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return floatRepr(value);
}

function jsonKey(key: Value, rendering: Rendering): string {
  if (typeof key === 'string') return key;
  if (key instanceof Markup) return key.text;
  if (key === null) return 'null';
  if (typeof key === 'boolean') return key ? 'true' : 'false';
  if (typeof key === 'number') return jsonNumber(key);
  if (typeof key === 'bigint') return str(key, rendering);
  throw typeError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

const plain = /^[ !#-[\]-~]*$/;
const special = /[^ !#-[\]-~]/g;

/** Escapes quotes, backslashes, control characters and all characters that are not ASCII, as Python does by default. */
function escapeAscii(text: string, rendering: Rendering): string {
  if (plain.test(text)) return text;
  return text.replace(special, (unit) => {
    rendering.budget.step();
    return escapeUnit(unit);
  });
}
