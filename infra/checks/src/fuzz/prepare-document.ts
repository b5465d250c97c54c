/**
 * Values for generated requests. Most ids are those of existing resources, so that the API does not reject most
 * requests with 404. The only URL is that of a destination in the stack, so that no request calls another server.
 */
export interface FuzzValues {
  /** The only destination URL in generated requests. The destination is part of the stack. */
  url: string;
  /** Valid body templates of webhooks. */
  bodies: string[];
  /** Ids by parameter name, for operations that do not delete resources. Most are ids of existing resources. */
  ids: Record<string, string[]>;
  /** Ids by parameter name, for operations that delete resources. */
  deletableIds: Record<string, string[]>;
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

/**
 * Returns a copy of an OpenAPI document that is changed for fuzzing:
 * - It has no `default` responses, because with them every status would count as documented.
 * - `values.url` is the only URL of a destination, and most ids are those of existing resources.
 */
export function prepareDocument(document: object, values: FuzzValues): object {
  const copy = structuredClone(document) as { paths: Record<string, Record<string, Operation>> } & JsonObject;
  const components = ((copy.components as JsonObject).schemas ?? {}) as Record<string, JsonObject>;
  for (const methods of Object.values(copy.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      delete operation.responses.default;
      const ids = method === 'delete' ? values.deletableIds : values.ids;
      for (const parameter of operation.parameters ?? [])
        if (parameter.in === 'path') parameter.schema = preferring(parameter.schema, ids[parameter.name]);
      const content = operation.requestBody?.content['application/json'];
      if (content === undefined) continue;
      limitRequest(resolve(content.schema, components), values, components);
      if (content.example !== undefined) content.example = withOwnUrls(content.example, values);
    }
  }
  return copy;
}

interface Operation {
  parameters?: { name: string; in: string; schema: JsonObject }[];
  requestBody?: { content: Record<string, { schema: JsonObject; example?: Json }> };
  responses: Record<string, unknown>;
}

/**
 * Returns a schema that lists the given values before the values of the original schema, so that most generated
 * requests use the given ones. Other values stay valid, because schemathesis also sends the ids of resources that its
 * requests have created.
 */
function preferring(schema: JsonObject, values: readonly string[] | undefined): JsonObject {
  if (values === undefined || values.length === 0) return schema;
  return { anyOf: [...values.map((value) => ({ const: value })), schema] };
}

function resolve(schema: JsonObject, components: Record<string, JsonObject>): JsonObject {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(String(schema.$ref ?? ''))?.[1];
  return (name === undefined ? undefined : components[name]) ?? schema;
}

function limitRequest(schema: JsonObject, values: FuzzValues, components: Record<string, JsonObject>): void {
  if (schema.items !== undefined)
    limitRequest(resolve(schema.items as JsonObject, components), values, components);
  // The API checks the items of an array with `x-items-apart` one by one. An invalid item gets its own error in the
  // response, and does not make the request invalid. The schema for fuzzing therefore allows any item.
  if (schema['x-items-apart'] === true) schema.items = { anyOf: [schema.items as JsonObject, {}] };
  if (schema.examples !== undefined) schema.examples = withOwnUrls(schema.examples, values);
  const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
  for (const [name, property] of Object.entries(properties)) {
    if (name === 'url') properties[name] = { type: 'string', enum: [values.url] };
    else if (name === 'body') properties[name] = preferring(property, values.bodies);
    else if (name === 'notification_webhook_ids' || name === 'notice_webhook_ids')
      property.items = preferring(property.items as JsonObject, values.ids.webhook_id);
    else if (name in values.ids) properties[name] = preferring(property, values.ids[name]);
    else limitRequest(property, values, components);
  }
}

/** Replaces URLs and ids in examples, because the servers and resources in the examples do not exist. */
function withOwnUrls(value: Json, values: FuzzValues): Json {
  if (typeof value === 'string') return /^https?:/.test(value) ? values.url : value;
  if (Array.isArray(value)) return value.map((item) => withOwnUrls(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'string'
        ? (values.ids[name]?.[0] ?? withOwnUrls(item, values))
        : withOwnUrls(item, values),
    ]),
  );
}
