import { createOpenApiDocument, definePublicRoute, openApiRoute, type Route } from '@tocsin/kit';
import { renderDocsPage } from './render-docs-page.js';

/** `/openapi.json` and `/docs`, created once from the routes. */
export function documentRoutes(routes: readonly Route<never>[]): Route<never>[] {
  const document = createOpenApiDocument({
    info: {
      title: 'Tocsin platform API',
      version: '1',
      description: 'Webhooks, alert rules, alerts and their deliveries.',
    },
    routes,
  });
  const page = renderDocsPage(document);
  return [
    openApiRoute(document),
    definePublicRoute({
      method: 'GET',
      path: '/docs',
      operationId: 'getDocs',
      summary: 'Shows the API reference.',
      tag: 'service',
      access: 'public',
      responses: { 200: { description: 'The reference as HTML.', contentType: 'text/html; charset=utf-8' } },
      handler: () => ({ status: 200, headers: { 'Content-Security-Policy': contentPolicy }, body: page }),
    }),
  ];
}

// The page has no scripts and loads nothing.
const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
