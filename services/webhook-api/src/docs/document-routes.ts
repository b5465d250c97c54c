import { createOpenApiDocument, definePublicRoute, openApiRoute, type Route } from '@tocsin/kit';
import { createAsyncApiDocument } from './asyncapi-document.js';
import { deliveredRequest } from './delivered-request.js';
import { readReferenceAssets } from './reference-assets.js';
import { assetPath, renderReferencePage } from './render-reference-page.js';

const info = {
  title: 'Tocsin platform API',
  version: '1',
  description: 'Webhooks, alert rules, alerts and their deliveries.',
};

/**
 * Returns the routes of `/openapi.json`, `/asyncapi.json`, `/docs` and the files that the page `/docs` loads. Their
 * content is created once. `issuer` is the URL of the deployment's identity provider.
 */
export function documentRoutes(
  routes: readonly Route<never>[],
  { issuer }: { issuer: string },
): Route<never>[] {
  const tokenUrl = `${issuer}/protocol/openid-connect/token`;
  const asyncApi = createAsyncApiDocument();
  const page = renderReferencePage(asyncApi, info);
  const headers = { 'Content-Security-Policy': contentPolicy(issuer) };
  return [
    openApiRoute(createOpenApiDocument({ info, routes, tokenUrl, webhooks: deliveredRequest })),
    fileRoute({
      path: '/asyncapi.json',
      operationId: 'getAsyncApiDocument',
      contentType: 'application/json',
      content: JSON.stringify(asyncApi),
    }),
    fileRoute({
      path: '/docs',
      operationId: 'getDocs',
      contentType: 'text/html; charset=utf-8',
      content: page,
      headers,
    }),
    ...readReferenceAssets().map(({ name, contentType, content }) =>
      fileRoute({
        path: `/${assetPath}/${name}`,
        operationId: `getAsset_${name}`,
        contentType,
        content,
        headers: { 'Cache-Control': 'public, max-age=3600' },
      }),
    ),
  ];
}

interface ServedFile {
  path: string;
  operationId: string;
  contentType: string;
  content: string | Buffer;
  headers?: Record<string, string>;
}

function fileRoute({ path, operationId, contentType, content, headers = {} }: ServedFile): Route<never> {
  return definePublicRoute({
    method: 'GET',
    path,
    operationId,
    summary: 'Returns a part of the reference.',
    tag: 'service',
    access: 'public',
    responses: { 200: { description: 'The file.', contentType } },
    handler: () => ({ status: 200, headers, body: content }),
  });
}

/**
 * Returns the Content-Security-Policy of `/docs`. The page may request tokens from the identity provider, and loads
 * everything else from this origin. Data URLs are allowed for the viewer's icons.
 */
function contentPolicy(issuer: string): string {
  const sources = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(issuer).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return sources.join('; ');
}
