import { escapeHtml } from '../oidc/pages.js';
import type { ReceivedRequest } from './request-log.js';

/** What was received, newest first, as plain HTML that refreshes itself and loads nothing. */
export function renderInbox(requests: readonly ReceivedRequest[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="3">
<title>Inbox · Tocsin</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
  article { border-top: 1px solid #ccc; padding: 0.5rem 0; }
  h2 { font-size: 1rem; margin: 0.5rem 0; }
  pre { background: #f4f4f4; padding: 0.75rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.5rem 0; }
  time { color: #666; font-weight: normal; }
</style>
</head>
<body>
<h1>Inbox</h1>
<p>Every POST to any path here is kept and shown; as JSON at <a href="/requests">/requests</a>.
Paths that misbehave: <code>/status/500</code>, <code>/slow/3000ms</code>, <code>/retry-after/5/status/429</code>, <code>/hang-up</code>.</p>
${requests.length === 0 ? '<p>Nothing has come yet.</p>' : requests.map(renderRequest).join('\n')}
</body>
</html>
`;
}

function renderRequest({
  number,
  receivedAt,
  method,
  url,
  headers,
  body,
  answeredWith,
}: ReceivedRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return `<article>
<h2>#${number} ${escapeHtml(`${method} ${url}`)} → ${answeredWith === 0 ? 'hung up' : answeredWith} <time>${escapeHtml(receivedAt)}</time></h2>
<pre>${escapeHtml(lines)}</pre>
<pre>${escapeHtml(body)}</pre>
</article>`;
}
