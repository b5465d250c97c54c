import { createSchemaCompiler, type FieldError } from '@tocsin/kit';
import type { JSONSchema } from 'json-schema-to-ts';

export type Checked<T> = { ok: true; value: T } | { ok: false; faults: FieldError[] };

/**
 * Checks parsed JSON and does not change it. `listAll: false` stops at the first fault: a list of faults can take more
 * memory than a large value.
 */
export type Check<T> = (value: unknown, options?: { listAll?: boolean }) => Checked<T>;

/** Compiles a JSON Schema (2020-12). */
export function createCheck<T>(schema: JSONSchema): Check<T> {
  const check = createSchemaCompiler()(schema);
  return (value, options) => {
    const faults = check(value, options);
    return faults.length === 0 ? { ok: true, value: value as T } : { ok: false, faults };
  };
}
