/** The part of JSON Schema (2020-12) that the services use. */
interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, { operationId: string; parameters: Parameter[] }>>;
  components: { schemas: Record<string, Schema> };
}

/** Generates TypeScript types for all named schemas of the documents and for the query parameters of each operation. */
export function generateTypes(documents: OpenApiDocument[]): string {
  const schemas = documents.flatMap((document) => [
    ...Object.entries(document.components.schemas),
    ...queriesOf(document),
  ]);
  const named = [...new Map(schemas)].sort(([a], [b]) => (a < b ? -1 : 1));
  const header = [
    '// Types of the OpenAPI documents that the services serve. test/openapi.test.ts compares this file with them.',
    '// Generated file. `REGENERATE=1 npm test -- packages/client/test/openapi` generates it again.',
    '',
  ];
  return [...header, ...named.map(([name, schema]) => declaration(name, schema))].join('\n');
}

function queriesOf({ paths }: OpenApiDocument): [string, Schema][] {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, parameters }): [string, Schema] => {
      const query = parameters.filter(({ in: place, name }) => place === 'query' && name !== 'cursor');
      const properties = Object.fromEntries(query.map(({ name, schema }) => [name, schema]));
      const required = query.filter((parameter) => parameter.required).map(({ name }) => name);
      const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;
      return [name, { type: 'object', additionalProperties: false, properties, required }];
    })
    .filter(([, { properties }]) => Object.keys(properties ?? {}).length > 0);
}

function declaration(name: string, schema: Schema): string {
  const comment = commentOf(schema, '');
  if (schema.type === 'object' && schema.properties !== undefined) {
    return `${comment}export interface ${name} ${objectType(schema, '')}\n`;
  }
  return `${comment}export type ${name} = ${typeOf(schema, '')};\n`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map((part) => typeOf(part, indent)).join(' | ');
  const types = [schema.type ?? 'unknown'].flat();
  return types.map((type) => plainType(type, schema, indent)).join(' | ');
}

function plainType(type: string, schema: Schema, indent: string): string {
  if (type === 'integer') return 'number';
  if (type === 'array') return arrayOf(typeOf(schema.items ?? {}, indent));
  if (type === 'object') return objectType(schema, indent);
  return type;
}

function arrayOf(item: string): string {
  return item.includes('|') ? `(${item})[]` : `${item}[]`;
}

function objectType(schema: Schema, indent: string): string {
  const { properties, additionalProperties, required = [] } = schema;
  if (properties === undefined) {
    const values =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
    return additionalProperties === false ? 'Record<string, never>' : `Record<string, ${values}>`;
  }
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, property]) => {
    const type = typeOf(property, inner);
    // Callers may pass undefined for an optional member, because JSON omits it.
    const member = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
    return `${commentOf(property, inner)}${inner}${member};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

function commentOf({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description} */\n`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}
