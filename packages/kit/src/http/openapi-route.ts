import { definePublicRoute } from './define-route.js';
import type { Route } from './route.js';

/** `GET /openapi.json` for a finished document. */
export function openApiRoute(document: object): Route<never> {
  const body = JSON.stringify(document);
  return definePublicRoute({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getOpenApiDocument',
    summary: 'This document.',
    tag: 'service',
    access: 'public',
    responses: { 200: { description: 'An OpenAPI 3.1 document.', contentType: 'application/json' } },
    handler: () => ({ status: 200, body }),
  });
}
