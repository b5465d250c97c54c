import { createSchemaCompiler, type FieldError } from '@tocsin/kit';
import type { JSONSchema } from 'json-schema-to-ts';

export type CheckResult<T> = { ok: true; value: T } | { ok: false; errors: FieldError[] };

/**
 * Checks parsed JSON without changing it. With `listAll: false` the check stops at the first error, because a list of
 * the errors of a large value can take more memory than the value.
 */
export type Check<T> = (value: unknown, options?: { listAll?: boolean }) => CheckResult<T>;

/** Compiles a JSON Schema (2020-12) into a function that checks values. */
export function createCheck<T>(schema: JSONSchema): Check<T> {
  const check = createSchemaCompiler()(schema);
  return (value, options) => {
    const errors = check(value, options);
    return errors.length === 0 ? { ok: true, value: value as T } : { ok: false, errors };
  };
}
