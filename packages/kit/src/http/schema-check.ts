import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JSONSchema } from 'json-schema-to-ts';
import type { FieldError } from '../app-error.js';
import { addFormats } from '../schema-formats.js';
import { describeFault } from './describe-fault.js';

/** The faults of a value, none when it fits. With coercion, the value is changed in place. */
export type SchemaCheck = (value: unknown, options?: { listAll?: boolean }) => FieldError[];

export type CompileSchema = (schema: JSONSchema, options?: { coerce?: boolean }) => SchemaCheck;

/**
 * Compiles JSON Schemas (2020-12). The first pass of a check stops at the first fault; all faults are only looked for
 * when `listAll` says that the value is small, for one of many faulty elements costs more memory than it took to send.
 * One compiler serves all routes: each instance of ajv compiles the meta-schema first, which takes longer than a route.
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
      if (first(value)) return [];
      if (!listAll) return describe(first.errors ?? []);
      // Compiled when it is needed first: most routes are never asked for all faults, and a service starts sooner.
      all ??= ajv.all.compile(schema as object);
      return describe(run(all, value));
    };
  };
}

const maxFaults = 20;

function run(validate: ValidateFunction, value: unknown): ErrorObject[] {
  validate(value);
  return validate.errors ?? [];
}

function describe(errors: ErrorObject[]): FieldError[] {
  const faults = new Map<string, FieldError>();
  for (const error of errors) {
    const fault = describeFault(error);
    if (fault) faults.set(`${fault.path}\n${fault.message}`, fault);
    if (faults.size >= maxFaults) break;
  }
  return [...faults.values()];
}

function createAjv({ allErrors, coerce = false }: { allErrors: boolean; coerce?: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    coerceTypes: coerce,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    // `required: ['constructor']` must not be met by what every object inherits.
    ownProperties: true,
    verbose: true,
    addUsedSchema: false,
  });
  ajv.addVocabulary(['example']);
  addFormats(ajv);
  return ajv;
}
