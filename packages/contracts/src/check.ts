import { createSchemaCompiler, type FieldError } from '@tocsin/kit';
import type { JSONSchema } from 'json-schema-to-ts';

export type CheckResult<T> = { ok: true; value: T } | { ok: false; faults: FieldError[] };

/**
 * Checks parsed JSON without changing it. With `listAll: false` the check stops at the first fault, because a list of
 * the faults of a large value can take more memory than the value.
 */
export type Check<T> = (value: unknown, options?: { listAll?: boolean }) => CheckResult<T>;

/** Compiles a JSON Schema (2020-12) into a function that checks values. */
export function createCheck<T>(schema: JSONSchema): Check<T> {
  const check = createSchemaCompiler()(schema);
  return (value, options) => {
    const faults = check(value, options);
    return faults.length === 0 ? { ok: true, value: value as T } : { ok: false, faults };
  };
}
