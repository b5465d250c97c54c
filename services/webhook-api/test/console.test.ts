import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi, type TestApi } from './support/api.js';

const site = mkdtempSync(join(tmpdir(), 'tocsin-console-'));
const page = '<!doctype html><title>Tocsin</title><meta property="csp-nonce" nonce="__CSP_NONCE__">';
const script = `export const text = ${JSON.stringify('x'.repeat(50_000))};`;

let api: TestApi;
beforeAll(async () => {
  mkdirSync(join(site, 'assets'));
  writeFileSync(join(site, 'index.html'), page);
  writeFileSync(join(site, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(site, 'assets/index-a1b2c3.js'), script);
  writeFileSync(join(site, '.secret'), 'hidden');
  api = await startApi({ consoleDirectory: site });
});
afterAll(async () => {
  await api.close();
  rmSync(site, { recursive: true });
});

/** Value of the `Accept` header of a browser that opens a page. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const get = (path: string, accept?: string, init: RequestInit = {}) =>
  fetch(`${api.url}${path}`, { ...init, ...(accept !== undefined && { headers: { accept } }) });

function expectProblem({ status, headers }: Response, expected: number): void {
  expect([status, headers.get('content-type')]).toEqual([expected, 'application/problem+json']);
}

describe('the page of the console', () => {
  test.each(['/', '/index.html', '/webhooks', '/w/1/deliveries?status=failed', '/apiary', '/%zz'])(
    'a browser that opens %s gets the console',
    async (path) => {
      const response = await get(path, browser);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(await response.text()).toContain('<title>Tocsin</title>');
      expect(response.headers.get('cache-control')).toBe('no-store');
    },
  );

  test('the console at / is sent for GET and HEAD, unless the client asks for JSON', async () => {
    expect((await get('/', '*/*')).status).toBe(200);
    expect((await get('/', 'application/json')).status).toBe(401);
    expect((await get('/', browser, { method: 'HEAD' })).status).toBe(200);
    expect((await get('/', browser, { method: 'POST' })).status).toBe(401);
  });

  test.each(['/api', '/api/', '/api/v1/webhooks', '/api/v1/nothing'])(
    'a browser that opens %s gets a problem document',
    async (path) => {
      expectProblem(await get(path, browser), 401);
    },
  );

  test.each(['*/*', 'application/json'])(
    'a request for an unknown path with Accept %s gets a problem document',
    async (accept) => {
      expectProblem(await get('/webhooks', accept), 401);
    },
  );

  test('a browser that opens /livez or /docs does not get the console', async () => {
    expect(await (await get('/livez', browser)).json()).toEqual({ status: 'ok' });
    expect(await (await get('/docs', browser)).text()).not.toContain('<title>Tocsin</title>');
  });

  test('the CSP of the console allows requests to the issuer, and inline styles only with a nonce', async () => {
    const policies = await Promise.all(
      [1, 2].map(async () => {
        const response = await get('/', browser);
        const policy = response.headers.get('content-security-policy') ?? '';
        const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
        expect(nonce).toHaveLength(24);
        expect(await response.text()).toContain(`nonce="${nonce}"`);
        return policy.replace(nonce, 'NONCE');
      }),
    );
    const issuer = new URL(api.config.identity.issuers[0]!.issuer).origin;
    const directives = policies[0]!.split('; ');
    expect(policies[1]).toBe(policies[0]);
    expect(directives).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'nonce-NONCE'",
      "img-src 'self' data:",
      "font-src 'self'",
      `connect-src 'self' ${issuer}`,
      "worker-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
    expect((await get('/', browser)).headers.get('referrer-policy')).toBe('same-origin');
  });
});

describe('the files of the console', () => {
  test('a console file with a hash in its name is compressed and cached forever', async () => {
    const response = await get('/assets/index-a1b2c3.js', '*/*');
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toMatch(/javascript/);
    expect(response.headers.get('content-encoding')).toMatch(/^(gzip|br)$/);
    expect(await response.text()).toBe(script);
  });

  test('a console file without a hash is revalidated before it is reused', async () => {
    const response = await get('/favicon.svg', 'image/*');
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    // Cache-Control is set explicitly, because fetch would add `no-cache` to a request with If-None-Match.
    const headers = {
      'If-None-Match': response.headers.get('etag') ?? '',
      'Cache-Control': 'max-age=0',
    };
    expect((await get('/favicon.svg', undefined, { headers })).status).toBe(304);
  });

  test.each(['/favicon.svg', '/%69ndex.html', '//index.html'])(
    'the console file %s can load nothing',
    async (path) => {
      const { status, headers } = await get(path, browser);
      expect(status).toBe(200);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; /);
      expect(headers.get('content-security-policy')).not.toContain('script-src');
    },
  );

  test.each(['/assets/index-old.js', '/assets/', '/assets', '/assets/..%2f..%2fapp.js'])(
    'a request for the missing console file %s gets 404',
    async (path) => {
      expectProblem(await get(path, browser), 404);
    },
  );

  test.each(['/.secret', '/..%2f..%2fpackage.json', '/assets/../.secret'])(
    'the path %s serves neither a hidden file nor a file outside the console',
    async (path) => {
      expect(await (await get(path, '*/*')).text()).not.toMatch(/hidden|"name"/);
    },
  );
});

test("the console's settings contain issuer and client, and need no token", async () => {
  const response = await get('/console/config.json', 'application/json');
  expect(await response.json()).toEqual({
    issuer: api.config.identity.issuers[0]!.issuer,
    client_id: 'tocsin-console',
  });
});

test('a request for / gets 404 with an explanation if the console is not built', async () => {
  const other = await startApi({ consoleDirectory: join(site, 'missing') });
  const response = await fetch(other.url, { headers: { accept: browser } });
  expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
  expect(await response.text()).toMatch(/^The console is not built\. .*\n$/);
  await other.close();
});
