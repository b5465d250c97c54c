import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { signIn } from './steps.js';

/** Number of entries in the list, and number of entries that the test loads by scrolling. */
const total = 100_000;
const scrolled = 20_000;
/**
 * Limit for the longest task of the browser's main thread while the page scrolls, in milliseconds. Two measurements on
 * two cores with load averages of 16 and 24 gave 263 and 693 ms. Without virtual rows, the time would grow with each
 * loaded page.
 */
const longestTaskMs = 1_000;
/**
 * Upper bound for the number of rows in the document. The document has the rows of one window, 15 rows above it and 15
 * below it.
 */
const mostRowsInDocument = 100;
const webhookCount = 1_000;

test.use({ trace: 'off' });

test('a page that is opened again loads a new response, and its polls accept a shared one', async ({
  page,
  stack,
}) => {
  const asked: (string | undefined)[] = [];
  page.on('request', (request) => {
    const isList = request.method() === 'GET' && request.url().includes('/deliveries?');
    if (isList) asked.push(request.headers()['cache-control']);
  });
  await signIn(page, stack);
  const openPage = (name: string) => page.getByRole('link', { name, exact: true }).click();
  for (const _visit of [1, 2]) {
    await openPage('Alerts');
    await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
    asked.length = 0;
    await openPage('Deliveries');
    await expect.poll(() => asked.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
    expect(asked.slice(0, 2)).toEqual([undefined, 'max-age=1']);
  }
});

test('a list of 100,000 deliveries scrolls without blocking the page for a second', async ({
  page,
  stack,
}) => {
  test.setTimeout(150_000);
  await page.addInitScript(serveLongList, total);
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries`);
  await expect(page.getByRole('link', { name: 'Webhook 0', exact: true })).toBeVisible();

  const { longestMs, mostRows } = await page.evaluate(scrollUntilLoaded, scrolled);
  expect(longestMs).toBeLessThan(longestTaskMs);
  expect(mostRows).toBeLessThan(mostRowsInDocument);
  await page.keyboard.press('Control+Home');
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  await expect(page.getByRole('link', { name: 'Webhook 0', exact: true })).toBeVisible();
});

test('the document has few rows of a list of 1,000 webhooks while a user scrolls and searches it', async ({
  page,
  stack,
}) => {
  await page.addInitScript(serveWebhooks, webhookCount);
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks`);
  await expect(page.getByText(`${webhookCount} webhooks`)).toBeVisible();

  const { mostRows, seen } = await page.evaluate(scrollToEnd);
  expect(mostRows).toBeLessThan(mostRowsInDocument);
  expect(seen).toBe(webhookCount);
  await expect(page.getByRole('link', { name: 'Webhook 0999', exact: true })).toBeVisible();

  // The test types faster than the address of the page is updated. No typed character may be lost.
  await page.getByLabel('Search by name or host').pressSequentially('webhook 012');
  await expect(page.getByLabel('Search by name or host')).toHaveValue('webhook 012');
  await expect(page.getByText(`10 of ${webhookCount} webhooks`)).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(11);
  await page.getByLabel('State').selectOption('Failing');
  await expect(page.getByText(`1 of ${webhookCount} webhooks`)).toBeVisible();
});

/**
 * Makes the browser use a generated list of deliveries instead of the list of the API. The tests of the API cover long
 * lists in the database.
 */
function serveLongList(length: number): void {
  const newest = Date.now();
  const entry = (index: number) => ({
    id: `00000000-0000-8000-8000-${String(length - index).padStart(12, '0')}`,
    webhook_name: `Webhook ${index}`,
    destination: 'https://chat.example.com',
    status: index % 10 === 0 ? 'failed' : 'succeeded',
    attempts_made: 1,
    created_at: new Date(newest - index * 1_000).toISOString(),
    response: { status_code: 200, response: 'ok'.repeat(100) },
    error_code: null,
  });
  const original = window.fetch;
  window.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, window.location.origin);
    if (!/^\/api\/v1\/workspaces\/[^/]+\/deliveries$/.test(url.pathname)) return original(input, init);
    const start = Number(url.searchParams.get('cursor') ?? 0);
    const end = Math.min(start + Number(url.searchParams.get('limit')), length);
    const link: Record<string, string> =
      end < length ? { link: `<${url.pathname}?cursor=${end}>; rel="next"` } : {};
    const body = Array.from({ length: end - start }, (_, index) => entry(start + index));
    return Response.json(body, { headers: link });
  };
}

/**
 * Makes the browser use a generated list of webhooks instead of the list of the API. Every tenth webhook is failing.
 */
function serveWebhooks(length: number): void {
  const now = new Date().toISOString();
  const entry = (index: number) => ({
    id: `00000000-0000-8000-8000-${String(index).padStart(12, '0')}`,
    name: `Webhook ${String(index).padStart(4, '0')}`,
    url: 'https://chat.example.com/hooks',
    headers: {},
    body: '{}',
    enabled: true,
    paused: null,
    health: {
      state: index % 10 === 0 ? 'failing' : 'healthy',
      since: now,
      last_error: index % 10 === 0 ? { code: 'http_status', error: 'The status was 500.', at: now } : null,
      success_rate_24h: 0.5,
    },
    updated_at: now,
  });
  const original = window.fetch;
  window.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, window.location.origin);
    if (!/^\/api\/v1\/workspaces\/[^/]+\/webhooks$/.test(url.pathname)) return original(input, init);
    return Response.json(Array.from({ length }, (_, index) => entry(index)));
  };
}

/**
 * Scrolls to the end of the page, by half the height of the window in each frame. Returns the largest number of rows in
 * the document at one time, and the number of different rows that were in the document.
 */
async function scrollToEnd(): Promise<{ mostRows: number; seen: number }> {
  const seen = new Set<string>();
  let mostRows = 0;
  const isAtEnd = () => window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1;
  for (let framesAtEnd = 0; framesAtEnd < 3; framesAtEnd += isAtEnd() ? 1 : 0) {
    await new Promise(requestAnimationFrame);
    const rows = document.querySelectorAll('.table-body [role=row]');
    mostRows = Math.max(mostRows, rows.length);
    for (const row of rows) seen.add(row.getAttribute('aria-rowindex') ?? '');
    window.scrollBy(0, window.innerHeight / 2);
  }
  return { mostRows, seen: seen.size };
}

/**
 * Scrolls down until this number of rows is loaded. Returns the longest task in milliseconds and the largest number of
 * rows in the document.
 */
async function scrollUntilLoaded(rows: number): Promise<{ longestMs: number; mostRows: number }> {
  let longestMs = 0;
  let mostRows = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestMs = Math.max(longestMs, duration);
  });
  observer.observe({ type: 'longtask' });
  const loaded = () => Number(document.querySelector('[role=table]')?.getAttribute('aria-rowcount'));
  while (loaded() < rows) {
    window.scrollTo(0, document.documentElement.scrollHeight);
    await new Promise(requestAnimationFrame);
    mostRows = Math.max(mostRows, document.querySelectorAll('[role=row]').length);
  }
  return { longestMs, mostRows };
}
