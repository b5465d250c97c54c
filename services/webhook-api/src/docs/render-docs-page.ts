import { escapeHtml, renderProperties, renderType, type Schema } from './render-schema.js';

/** The parts of an OpenAPI 3.1 document that the page shows. */
interface ApiDocument {
  info: { title: string; version: string; description?: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: [];
  'x-permission'?: string;
  parameters: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema }> }>;
}

/** The API reference as one HTML page, without scripts, external links or further files. */
export function renderDocsPage(openApi: object): string {
  const document = openApi as ApiDocument;
  const { title, version, description = '' } = document.info;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = document.tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<section><h2>${escapeHtml(name)}</h2>${own.map(renderOperation).join('\n')}</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>${escapeHtml(description)} As a document: <a href="openapi.json">OpenAPI 3.1</a>.</p>
${sections.join('\n')}
<section><h2>schemas</h2>${Object.entries(document.components.schemas).map(renderSchema).join('\n')}</section>
</body>
</html>
`;
}

function renderOperation({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: Operation;
}) {
  const { operationId, summary, description, parameters, requestBody, responses, security } = operation;
  const permission = operation['x-permission'];
  const need = permission ? `permission <code>${permission}</code>` : security ? 'public' : 'any valid token';
  return `<details id="${operationId}">
<summary><b class="${method}">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
<p>${description ? `${escapeHtml(description)} ` : ''}Access: ${need}.</p>
${parameters.length === 0 ? '' : `<h4>Parameters</h4>${renderParameters(parameters)}`}
${requestBody === undefined ? '' : `<h4>Body</h4><p>${renderContent(requestBody.content)}</p>`}
<h4>Responses</h4><dl>${Object.entries(responses).map(renderResponse).join('')}</dl>
</details>`;
}

function renderParameters(parameters: Operation['parameters']): string {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return renderProperties({ properties, required });
}

function renderResponse([status, { description, content }]: [
  string,
  Operation['responses'][string],
]): string {
  const shape = content === undefined ? '' : ` ${renderContent(content)}`;
  return `<dt>${status}</dt><dd>${escapeHtml(description)}${shape}</dd>`;
}

function renderContent(content: Record<string, { schema?: Schema }>): string {
  return Object.entries(content)
    .map(
      ([type, { schema }]) => `${escapeHtml(type)}${schema === undefined ? '' : `: ${renderType(schema)}`}`,
    )
    .join(', ');
}

function renderSchema([name, schema]: [string, Schema]): string {
  const description = schema.description === undefined ? '' : `<p>${escapeHtml(schema.description)}</p>`;
  return `<article id="schema-${name}"><h3>${name}</h3>${description}${renderProperties(schema)}</article>`;
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, table { font-size: .9em; }
details { border-bottom: 1px solid #8884; padding: .4rem 0; }
summary { cursor: pointer; }
summary b { display: inline-block; width: 4rem; }
.get { color: #0a7d4f; } .post { color: #2563c9; } .patch, .put { color: #b06a00; } .delete { color: #c62f2f; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; border-top: 1px solid #8884; padding: .2rem .8rem .2rem 0; }
dt { font-weight: 600; float: left; clear: left; width: 3rem; } dd { margin-left: 3.5rem; }
`;
