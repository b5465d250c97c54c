/** The keywords of a JSON Schema that are used to build an example. */
interface Schema {
  type?: string | readonly string[];
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  examples?: readonly unknown[];
  minimum?: number;
  items?: unknown;
  properties?: Readonly<Record<string, unknown>>;
  required?: readonly string[];
}

/**
 * Returns an example of a schema: its first `examples` entry, or a value built from the examples of its parts. If an
 * entry is an object that lacks required members, the examples of these members are added. An entry therefore need not
 * be changed when the schema gets a new required member.
 */
export function exampleOf(schema: unknown): unknown {
  const parts = schema as Schema;
  const [given] = parts.examples ?? [];
  if (parts.properties !== undefined && !allowsNull(parts)) return exampleObject(parts, given);
  if (given !== undefined) return given;
  if (parts.const !== undefined) return parts.const;
  if (allowsNull(parts)) return null;
  if (parts.enum !== undefined) return parts.enum[0];
  return exampleOfType(parts);
}

function allowsNull({ type, enum: values }: Schema): boolean {
  return [type].flat().includes('null') || values?.includes(null) === true;
}

function exampleObject({ properties = {}, required = [] }: Schema, given: unknown): Record<string, unknown> {
  const names = given === undefined ? Object.keys(properties) : required;
  const made = names.map((name) => [name, exampleOf(properties[name] ?? {})]);
  return { ...Object.fromEntries(made), ...(given as object | undefined) };
}

function exampleOfType(schema: Schema): unknown {
  switch ([schema.type].flat()[0]) {
    case 'string':
      return examplesByFormat[schema.format ?? ''] ?? 'text';
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items)];
    default:
      return {};
  }
}

const examplesByFormat: Readonly<Record<string, string>> = {
  uuid: '3b1f6a52-8d0e-4c4a-9a57-0f1c2d3e4f50',
  'date-time': '2026-01-31T12:00:00Z',
  uri: 'https://chat.example.com/hooks/alerts',
};
