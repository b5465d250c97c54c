import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JSONSchema } from 'json-schema-to-ts';
import type { FieldError } from '../app-error.js';
import { addFormatsAndKeywords } from '../schema-formats.js';
import { describeValidationError } from './describe-validation-error.js';

/**
 * Returns the validation errors of a value: an empty list for a valid value. A check that was compiled with `coerce`
 * also changes the value: it converts texts to the types of the schema.
 */
export type SchemaCheck = (value: unknown, options?: { listAll?: boolean }) => FieldError[];

export type CompileSchema = (schema: JSONSchema, options?: { coerce?: boolean }) => SchemaCheck;

/**
 * Creates a compiler for JSON Schemas (2020-12). A check stops at the first error; with `listAll` (the default), a
 * second pass collects up to 20 errors. All routes share one compiler, because each ajv instance first compiles the
 * meta-schema.
 */
export function createSchemaCompiler(): CompileSchema {
  const strict = { first: createAjv({ allErrors: false }), all: createAjv({ allErrors: true }) };
  const coercing = {
    first: createAjv({ allErrors: false, coerce: true }),
    all: createAjv({ allErrors: true, coerce: true }),
  };
  return (schema, { coerce = false } = {}) => {
    const ajv = coerce ? coercing : strict;
    const first = ajv.first.compile(schema as object);
    let all: ValidateFunction | undefined;
    return (value, { listAll = true } = {}) => {
      if (first(value)) return coerce ? findInfinite(value) : [];
      if (!listAll) return describeErrors(first.errors ?? []);
      // The check that lists all errors is compiled on first use, so that the service starts sooner. Few routes ever
      // need it.
      all ??= ajv.all.compile(schema as object);
      all(value);
      return describeErrors(all.errors ?? []);
    };
  };
}

/**
 * Returns an error for each parameter that was converted to an infinite number, such as `1e999`. ajv skips the checks
 * of limits and of whole numbers for infinite numbers.
 */
function findInfinite(value: unknown): FieldError[] {
  return Object.entries(value as Record<string, unknown>)
    .filter(([, entry]) => [entry].flat().some((item) => typeof item === 'number' && !Number.isFinite(item)))
    .map(([path]) => ({ path, message: 'must be a finite number' }));
}

/** Maximum number of errors in a list. Without it, a body of 64 KiB such as `[0,0,0,…]` could have 32,000 errors. */
export const maxErrors = 20;

/**
 * Size of a JSON text in bytes up to which all errors are listed. For a larger text, only the first error is listed,
 * because a list of errors can take more memory than the text.
 */
export const maxBytesForAllErrors = 65_536;

function describeErrors(errors: ErrorObject[]): FieldError[] {
  const described = new Map<string, FieldError>();
  for (const error of errors) {
    const fieldError = describeValidationError(error);
    if (fieldError) described.set(`${fieldError.path}\n${fieldError.message}`, fieldError);
    if (described.size >= maxErrors) break;
  }
  return [...described.values()];
}

function createAjv({ allErrors, coerce = false }: { allErrors: boolean; coerce?: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    coerceTypes: coerce,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    // Without `ownProperties`, every object would fulfil `required: ['constructor']`, because it inherits this
    // property.
    ownProperties: true,
    verbose: true,
    addUsedSchema: false,
  });
  addFormatsAndKeywords(ajv);
  return ajv;
}
