import { addFormats, type FieldError } from '@tocsin/kit';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

export type Checked<T> = { ok: true; value: T } | { ok: false; faults: FieldError[] };

/** Compiles a JSON Schema (2020-12) into a validator of parsed JSON. The validator does not change the value. */
export function createCheck<T>(schema: object): (value: unknown) => Checked<T> {
  const ajv = new Ajv2020({ allErrors: false, strict: true, allowUnionTypes: true, ownProperties: true });
  addFormats(ajv);
  const validate = ajv.compile<T>(schema);
  return (value) =>
    validate(value) ? { ok: true, value } : { ok: false, faults: (validate.errors ?? []).map(toFault) };
}

function toFault(error: ErrorObject): FieldError {
  return { path: error.instancePath, message: `${error.message ?? 'is not allowed'}` };
}
