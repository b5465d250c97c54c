import { expect, type Page } from '@playwright/test';
import { test } from './fixtures.js';
import { signIn } from './steps.js';

/** Entries of the list, and entries that the test loads by scrolling. */
const total = 100_000;
const scrolled = 20_000;
/**
 * Longest time in milliseconds for which the page may not react while it scrolls. It was 263 and 693 ms on two cores with
 * loads of 16 and 24; rendering every row takes longer with each page.
 */
const longestTaskMs = 2_000;

test.use({ trace: 'off' });

test('a list of 100,000 deliveries scrolls without long tasks', async ({ page, stack }) => {
  test.setTimeout(150_000);
  await page.addInitScript(serveLongList, total);
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries`);
  await expect(page.getByRole('link', { name: 'Webhook 0', exact: true })).toBeVisible();

  const longestMs = await page.evaluate(scrollUntilLoaded, scrolled);
  expect(longestMs).toBeLessThan(longestTaskMs);
  expect(await page.getByRole('row').count()).toBeLessThan(100);
  await expectTopAgain(page);
});

/** Replaces the list of deliveries in the page: the API's side of a long list has tests of its own. */
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

/** Scrolls down until so many rows are loaded. Returns the longest task in milliseconds. */
async function scrollUntilLoaded(rows: number): Promise<number> {
  let longestMs = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestMs = Math.max(longestMs, duration);
  });
  observer.observe({ type: 'longtask' });
  const loaded = () => Number(document.querySelector('[role=table]')?.getAttribute('aria-rowcount'));
  while (loaded() < rows) {
    window.scrollTo(0, document.documentElement.scrollHeight);
    await new Promise(requestAnimationFrame);
  }
  return longestMs;
}

async function expectTopAgain(page: Page): Promise<void> {
  await page.keyboard.press('Control+Home');
  await expect(page.getByRole('link', { name: 'Webhook 0', exact: true })).toBeVisible();
}
