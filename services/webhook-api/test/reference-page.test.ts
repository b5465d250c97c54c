import { alertFiredProperties } from '@tocsin/contracts';
import { useApi } from './support/api.js';

const api = useApi();
let page: string;
let policy: string;
beforeAll(async () => {
  const response = await fetch(`${api.url}/docs`);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  policy = response.headers.get('content-security-policy') ?? '';
  page = await response.text();
});

test('the CSP of the reference page allows only scripts and styles of the service, none inline', () => {
  const { origin } = new URL(process.env.TOCSIN_TEST_OIDC_ISSUER ?? '');
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(page).not.toMatch(/<style|<script>| style="| on[a-z]+="/);
});

test('the service serves every file that the reference page loads, with its content type', async () => {
  const files = [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, file]) => file ?? '');
  expect(files).toEqual(
    expect.arrayContaining(['openapi.json', 'asyncapi.json', 'docs/assets/reference.js']),
  );
  const types: Record<string, RegExp> = {
    js: /^text\/javascript/,
    css: /^text\/css/,
    json: /^application\/json/,
  };
  for (const file of files) {
    expect(file).not.toMatch(/^[a-z]+:|^\/\//);
    const response = await fetch(new URL(file, `${api.url}/docs`));
    const text = await response.text();
    expect([file, response.status, text.length > 0]).toEqual([file, 200, true]);
    expect(response.headers.get('content-type')).toMatch(types[file.split('.').at(-1) ?? ''] ?? /never/);
  }
});

test('the reference page shows every field of the message that monitors publish', () => {
  for (const name of Object.keys(alertFiredProperties)) expect(page).toContain(`<code>${name}</code>`);
});

test('links within the reference page have a target, and its texts add no script element', () => {
  for (const [, anchor] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${anchor}"`);
  expect(page.match(/<script/g)).toHaveLength(2);
});
