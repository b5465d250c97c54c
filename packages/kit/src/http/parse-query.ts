import type { JSONSchema } from 'json-schema-to-ts';
import { AppError, type FieldError, invalidQuery } from '../app-error.js';

/**
 * Parses the query of a request target. Only parameters whose schema is an array can be repeated.
 * @throws AppError 400 for a malformed percent escape, 422 for a repeated parameter
 */
export function parseQuery(
  target: string,
  schema: JSONSchema | undefined,
): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  const start = target.indexOf('?');
  if (start < 0) return query;
  const repeated: FieldError[] = [];
  for (const pair of target.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    const known = query[name];
    if (isArray(schema, name)) query[name] = Array.isArray(known) ? [...known, value] : [value];
    else if (known === undefined) query[name] = value;
    else repeated.push({ path: name, message: 'must be given once' });
  }
  if (repeated.length === 0) return query;
  throw invalidQuery(repeated.slice(0, 20));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new AppError('invalid_request', 'The query has a malformed percent escape.', { cause });
  }
}

function isArray(schema: JSONSchema | undefined, name: string): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const property = schema.properties?.[name];
  return typeof property === 'object' && property !== null && 'type' in property && property.type === 'array';
}
