import type { JSONSchema } from 'json-schema-to-ts';
import { type FieldError, invalidBody } from '../app-error.js';
import { findInvalidText } from '../invalid-text.js';
import { childPointer } from '../json-pointer.js';
import type { CheckedItem } from './route.js';
import type { CompileSchema, SchemaCheck } from './schema-check.js';

/**
 * Checks a parsed body. Returns the value for the handler and the errors of the schema.
 * @throws AppError 422 if the body is nested too deep, or contains a member `__proto__` or invalid text. If the items
 *   of an array are checked one by one, these errors are not thrown but returned with the item that has caused them
 */
export type BodyCheck = (
  value: unknown,
  options: { listAll: boolean },
) => { value: unknown; errors: FieldError[] };

/**
 * Compiles a schema into a function that checks bodies. If the schema has the keyword `x-items-apart`, the function
 * first checks the array without its items, for example its length. If the array is valid, each item is checked
 * separately, and the value becomes an array of `CheckedItem`.
 */
export function createBodyCheck(schema: JSONSchema, compileSchema: CompileSchema): BodyCheck {
  const items = itemsApart(schema);
  if (items !== undefined) return checkApart(schema as object, items, compileSchema);
  const check = compileSchema(schema);
  return (value, options) => {
    const error = findBadValue(value);
    if (error) throw invalidBody([error]);
    return { value, errors: check(value, options) };
  };
}

function itemsApart(schema: JSONSchema): JSONSchema | undefined {
  const { items, 'x-items-apart': apart } = schema as { items?: JSONSchema; 'x-items-apart'?: true };
  return apart ? items : undefined;
}

function checkApart(schema: object, items: JSONSchema, compileSchema: CompileSchema): BodyCheck {
  const checkArray = compileSchema({ ...schema, items: {} });
  const check = compileSchema(items);
  return (value, options) => {
    const errors = checkArray(value, options);
    if (errors.length > 0) return { value, errors };
    return { value: (value as unknown[]).map((item) => checkItem(item, { check, options })), errors };
  };
}

function checkItem(
  value: unknown,
  { check, options }: { check: SchemaCheck; options: { listAll: boolean } },
): CheckedItem<unknown> {
  const error = findBadValue(value);
  const errors = error ? [error] : check(value, options);
  return errors.length === 0 ? { ok: true, value } : { ok: false, value, errors };
}

/** Finds the first problem that every schema forbids: nesting too deep, a member named `__proto__`, or invalid text. */
function findBadValue(value: unknown): FieldError | undefined {
  return findBadShape(value, 0) ?? findInvalidText(value);
}

const maxDepth = 100;

/**
 * Finds nesting deeper than `maxDepth`, or a member named `__proto__`. The function is recursive, and the maximum depth
 * prevents a stack overflow.
 */
function findBadShape(value: unknown, depth: number): FieldError | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxDepth) {
    return { path: '', message: `must not be nested more than ${maxDepth} levels deep` };
  }
  // The path of an error is built while the recursion returns. Building a path for each member in advance would take
  // longer than the rest of the check.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const error = findBadShape(value[index], depth + 1);
      if (error) return within(String(index), error);
    }
    return undefined;
  }
  for (const key in value) {
    if (key === '__proto__') return { path: childPointer('', key), message: 'is not an allowed name' };
    const error = findBadShape((value as Record<string, unknown>)[key], depth + 1);
    if (error) return within(key, error);
  }
  return undefined;
}

function within(name: string, { path, message }: FieldError): FieldError {
  return { path: path === '' ? '' : childPointer('', name) + path, message };
}
