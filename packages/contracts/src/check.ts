import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { addFormats } from './formats.js';

/** One fault: `path` is a JSON pointer into the value, `message` a sentence for people. */
export interface Fault {
  path: string;
  message: string;
}

export type Checked<T> = { ok: true; value: T } | { ok: false; faults: Fault[] };

/** Compiles a JSON Schema (2020-12) once into a check of parsed JSON; the value is not changed. */
export function createCheck<T>(schema: object): (value: unknown) => Checked<T> {
  const ajv = new Ajv2020({ allErrors: false, strict: true, allowUnionTypes: true, ownProperties: true });
  addFormats(ajv);
  const validate = ajv.compile<T>(schema);
  return (value) =>
    validate(value) ? { ok: true, value } : { ok: false, faults: (validate.errors ?? []).map(toFault) };
}

function toFault(error: ErrorObject): Fault {
  return { path: error.instancePath, message: `${error.message ?? 'is not allowed'}` };
}
