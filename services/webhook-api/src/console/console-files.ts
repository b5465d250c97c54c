import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@tocsin/kit';
import compression from 'compression';
import express, { type Request, type RequestHandler, type Response } from 'express';

export interface ConsoleFilesOptions {
  /** Directory of the built console. */
  directory: string;
  /** Issuer of the users' tokens. The page may send requests to it. */
  issuer: string;
}

/** Directory where `npm run build` writes the console. The relative path is correct in `src` and in `dist`. */
export const builtConsole = fileURLToPath(new URL('../../../console/dist/site', import.meta.url));

/**
 * Creates a handler that serves the files and the page of the console. At `/`, the page is served unless the client
 * prefers JSON. At other paths without a file and a route, the page is served if the request accepts `text/html`, as
 * requests from browsers do. Paths below `/api` and `/assets` never serve the page.
 */
export function consoleFiles({ directory, issuer }: ConsoleFilesOptions): RequestHandler {
  const page = servePage(directory, new URL(issuer).origin);
  const files = { index: false, redirect: false, cacheControl: false } as const;
  const router = express.Router({ caseSensitive: true });
  // API paths skip the search for files, which would take a sixth of the time of an API request.
  router.use((request, _response, next) => (isOfApi(request) ? next('router') : next()));
  // Assets can be cached forever, because their names contain a hash of their content.
  router.use(
    '/assets',
    compression(),
    express.static(join(directory, 'assets'), {
      ...files,
      setHeaders: cache('public, max-age=31536000, immutable'),
    }),
    () => {
      throw new AppError('not_found', 'The console has no such file.');
    },
  );
  router.get('/index.html', page);
  router.use(express.static(directory, { ...files, setHeaders: allowNothing }));
  router.use((request, response, next) => (wantsPage(request) ? page(request, response, next) : next()));
  return router;
}

function cache(value: string): (response: Response) => void {
  return (response) => void response.setHeader('Cache-Control', value);
}

/**
 * Sets the headers of files outside `/assets`. The policy forbids them to load anything, and forbids other sites to
 * frame them. A request for another spelling of `/index.html`, such as `//index.html`, misses the route of the page and
 * gets the file with this policy. The browser then shows it without scripts and styles.
 */
function allowNothing(response: Response): void {
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
}

function isOfApi({ path }: Request): boolean {
  return /^\/api(\/|$)/.test(path);
}

/**
 * Returns true if the client wants the page. At `/`, it must prefer HTML to JSON or accept any type. At other paths,
 * its `Accept` header must contain `text/html`.
 */
function wantsPage(request: Request): boolean {
  const { method, path, headers } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (path === '/') return request.accepts(['text/html', 'application/json']) === 'text/html';
  return (headers.accept ?? '').includes('text/html');
}

/** Placeholder that the build writes into the page. For each response, a new nonce for styles replaces it. */
const noncePlaceholder = '__CSP_NONCE__';

function servePage(directory: string, issuerOrigin: string): RequestHandler {
  const file = join(directory, 'index.html');
  return async (_request, response) => {
    const html = await readFile(file, 'utf8').catch(() => undefined);
    if (html === undefined) {
      const sentence =
        'The console is not built. Build it with "npm run build"; the API reference is at /docs.';
      response.status(404).type('text/plain').send(`${sentence}\n`);
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    response.setHeader('Content-Security-Policy', contentPolicy(nonce, issuerOrigin));
    response.setHeader('Referrer-Policy', 'same-origin');
    response.type('text/html').send(html.replaceAll(noncePlaceholder, nonce));
  };
}

/**
 * Returns the Content-Security-Policy of the console. The nonce allows the style elements that libraries of the console
 * create. Scripts can be loaded only from this origin.
 */
function contentPolicy(nonce: string, issuerOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${issuerOrigin}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
