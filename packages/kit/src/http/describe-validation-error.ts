import type { ErrorObject } from 'ajv/dist/2020.js';
import type { FieldError } from '../app-error.js';
import { childPointer } from '../json-pointer.js';
import { describeInvalidDateTime } from '../schema-formats.js';

/**
 * Converts an ajv error to a path and a message that describes the valid values. Returns undefined for an error that
 * repeats another one: errors of the keyword `if`, and errors within `propertyNames`.
 */
export function describeValidationError(error: ErrorObject): FieldError | undefined {
  const { instancePath: path, keyword, propertyName, message = 'is not allowed' } = error;
  // For an invalid member name, ajv reports an error for the rule that the name breaks, and a second error with the
  // keyword `propertyNames`. Only the second one has the path, so the first one is omitted.
  if (propertyName !== undefined) return undefined;
  const params = error.params as Record<string, unknown>;
  switch (keyword) {
    case 'required':
      return { path: childPointer(path, String(params.missingProperty)), message: 'is required' };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return {
        path: childPointer(path, String(params.additionalProperty ?? params.unevaluatedProperty)),
        message: `is not a known property${knownNames(error.parentSchema)}`,
      };
    case 'type': {
      // For a value of a wrong type, ajv reports a second error with the keyword `enum`, if the schema has one. Both
      // errors get the same message, so that the value gets one error.
      const values: unknown = error.parentSchema?.enum;
      return { path, message: values === undefined ? `must be ${typeNames(params.type)}` : oneOf(values) };
    }
    case 'enum':
      return { path, message: oneOf(params.allowedValues) };
    case 'const':
      return { path, message: `must be ${JSON.stringify(params.allowedValue)}` };
    case 'format':
      return { path, message: formatSentence(String(params.format), error.data) };
    case 'minProperties':
      return {
        path,
        message: `must have at least ${params.limit} of its properties${namesAfter(':', error.parentSchema)}`,
      };
    case 'minLength':
      return { path, message: params.limit === 1 ? 'must not be empty' : message };
    case 'x-max-bytes':
      return { path, message: `must have at most ${error.schema} bytes of UTF-8, names included` };
    case 'pattern':
      return { path, message: patternSentence(error.parentSchema) ?? message };
    case 'propertyNames':
      return {
        path: childPointer(path, String(params.propertyName)),
        message: patternSentence(error.schema) ?? 'is not an allowed name',
      };
    case 'if':
      return undefined;
    default:
      return { path, message };
  }
}

function knownNames(schema: ErrorObject['parentSchema']): string {
  return namesAfter('; known are', schema);
}

function namesAfter(words: string, schema: ErrorObject['parentSchema']): string {
  const names = Object.keys(schema?.properties ?? {});
  return names.length > 0 && names.length <= 30 ? `${words} ${names.join(', ')}` : '';
}

const typeSentences: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

function typeNames(type: unknown): string {
  const names = Array.isArray(type) ? type : [type];
  return names.map((name) => typeSentences[String(name)] ?? String(name)).join(' or ');
}

function oneOf(values: unknown): string {
  return `must be one of ${[values]
    .flat()
    .map((value) => JSON.stringify(value))
    .join(', ')}`;
}

function formatSentence(format: string, value: unknown): string {
  if (format === 'uuid') return 'must be a UUID';
  if (format === 'date-time') return describeInvalidDateTime(String(value)) ?? 'must be a time';
  if (format === 'uri') return 'must be an absolute URL';
  if (format === 'printable') return 'must have printable characters only';
  return `must be in the format ${format}`;
}

/**
 * Returns "must be" and the description of the schema; undefined without a description. The description of a schema
 * with a `pattern` must therefore be a noun phrase for the valid texts.
 */
function patternSentence(schema: unknown): string | undefined {
  const { description } = schema as { description?: string };
  return description === undefined ? undefined : `must be ${description}`;
}
