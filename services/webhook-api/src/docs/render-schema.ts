/** The keywords of a JSON Schema that the reference page of the API shows. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  enum?: readonly unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

/** Renders a table of the members of an object, or the type of any other value. */
export function renderProperties(schema: Schema): string {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return `<p>${renderType(schema)}</p>`;
  const required = new Set(schema.required);
  const rows = properties.map(
    ([name, property]) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required.has(name) ? '' : ' <small>optional</small>'}</td>` +
      `<td>${renderType(property)}</td><td>${escapeHtml(property.description ?? '')}</td></tr>`,
  );
  return `<table><tr><th>name</th><th>type</th><th></th></tr>${rows.join('')}</table>`;
}

/** Renders the type of a schema as a phrase, for example `array of string`. A named schema becomes a link. */
function renderType(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = escapeHtml(schema.$ref.split('/').at(-1) ?? '');
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(', ');
  if (schema.items !== undefined) return `array of ${renderType(schema.items)}`;
  if (typeof schema.additionalProperties === 'object')
    return `object of ${renderType(schema.additionalProperties)}`;
  const types = [schema.type ?? 'any'].flat().join(' or ');
  const names = Object.keys(schema.properties ?? {}).join(', ');
  const detail = schema.format ?? names;
  return escapeHtml(detail === '' ? types : `${types} (${detail})`);
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function literal(value: unknown): string {
  return `<code>${escapeHtml(JSON.stringify(value))}</code>`;
}
