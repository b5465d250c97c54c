import type { createAsyncApiDocument } from './asyncapi-document.js';
import { escapeHtml, renderProperties, type Schema } from './render-schema.js';

/** Path of the scripts and style sheets that the page loads, relative to the page. */
export const assetPath = 'docs/assets';

/**
 * Renders the reference page. In the browser, Swagger UI shows the operations of the OpenAPI document and can call
 * them. The messages of the AsyncAPI document are rendered on the server. The page has no inline scripts or styles.
 */
export function renderReferencePage(
  asyncApi: ReturnType<typeof createAsyncApiDocument>,
  { title, description }: { title: string; description: string },
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${assetPath}/swagger-ui.css">
<link rel="stylesheet" href="${assetPath}/reference.css">
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(description)} Documents: <a href="openapi.json">OpenAPI 3.1</a>, <a href="asyncapi.json">AsyncAPI 3.0</a>. Below the operations: <a href="#messages">messages over AMQP</a>.</p>
<noscript><p>The operations need JavaScript. The OpenAPI document has all of them.</p></noscript>
</header>
<main id="operations"></main>
<section id="messages">
<h2>Messages over AMQP</h2>
<p>${escapeHtml(asyncApi.info.description)}</p>
${Object.values(asyncApi.channels).map(renderChannel).join('\n')}
${Object.entries(asyncApi.components.messages)
  .map(([, message]) => renderMessage(message, asyncApi.components.schemas.AlertFired))
  .join('\n')}
</section>
<script src="${assetPath}/swagger-ui-bundle.js"></script>
<script src="${assetPath}/reference.js"></script>
</body>
</html>
`;
}

type AsyncApi = ReturnType<typeof createAsyncApiDocument>;

function renderChannel({ title, description }: AsyncApi['channels']['alerts']): string {
  return `<h3>${escapeHtml(title)}</h3><p>${renderCode(description)}</p>`;
}

function renderMessage(
  { name, summary, examples }: AsyncApi['components']['messages']['alertFired'],
  payload: AsyncApi['components']['schemas']['AlertFired'],
): string {
  const shown = examples.map(
    (example) => `<pre><code>${escapeHtml(JSON.stringify(example.payload, null, 2))}</code></pre>`,
  );
  return `<h3><code>${escapeHtml(name)}</code></h3>
<p>${escapeHtml(summary)} ${escapeHtml(payload.description)} Over REST (<code>publishAlert</code>) alert_id, workspace_id and fired_at are optional, and unknown members are rejected.</p>
${renderProperties(payload as Schema)}
<h4>Examples</h4>
${shown.join('\n')}`;
}

/** Escapes a text for HTML, and turns the parts in backquotes into code elements. */
function renderCode(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}
