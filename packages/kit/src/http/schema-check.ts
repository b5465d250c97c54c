import { addFormats } from '@tocsin/contracts';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JSONSchema } from 'json-schema-to-ts';
import type { FieldError } from '../app-error.js';
import { describeFault } from './describe-fault.js';

/** The faults of a value, none when it fits. With coercion, the value is changed in place. */
export type SchemaCheck = (value: unknown, options?: { listAll?: boolean }) => FieldError[];

const maxFaults = 20;

/**
 * Compiles a JSON Schema (2020-12). The first pass stops at the first fault; all faults are only looked for when
 * `listAll` says that the value is small, for one of many faulty elements costs more memory than it took to send.
 */
export function compileSchema(schema: JSONSchema, { coerce = false } = {}): SchemaCheck {
  const first = createAjv({ allErrors: false, coerce }).compile(schema as object);
  const all = createAjv({ allErrors: true, coerce }).compile(schema as object);
  return (value, { listAll = true } = {}) => {
    if (first(value)) return [];
    return describe(listAll ? run(all, value) : (first.errors ?? []));
  };
}

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

function createAjv({ allErrors, coerce }: { allErrors: boolean; coerce: boolean }): Ajv2020 {
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
