import { randomUUID } from 'node:crypto';
import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { signIn } from './steps.js';

const total = 100_000;
/** Longest time for which the page may not react while it scrolls, on a machine that runs the whole stack as well. */
const longestTaskMs = 200;

test('a list of 100,000 deliveries scrolls without long tasks', async ({ page, stack }) => {
  test.setTimeout(180_000);
  const newest = Date.now();
  const entry = (index: number) => ({
    id: `00000000-0000-8000-8000-${String(total - index).padStart(12, '0')}`,
    workspace_id: stack.workspace_id,
    webhook_id: randomUUID(),
    webhook_name: `Webhook ${index}`,
    destination: 'https://chat.example.com',
    status: index % 10 === 0 ? 'failed' : 'succeeded',
    attempts_made: 1,
    created_at: new Date(newest - index * 1_000).toISOString(),
    response: {
      status_code: 200,
      response: 'ok'.repeat(100),
      truncated: false,
      location: null,
      retry_after: null,
    },
    error: null,
    error_code: null,
  });
  // The API's side of a long list has tests of its own; here it is an array.
  await page.route(/\/api\/v1\/workspaces\/[^/]+\/deliveries\?/, async (route) => {
    const url = new URL(route.request().url());
    const limit = Number(url.searchParams.get('limit'));
    const start = Number(url.searchParams.get('cursor') ?? 0);
    const end = Math.min(start + limit, total);
    const headers = end < total ? { link: `<${url.origin}${url.pathname}?cursor=${end}>; rel="next"` } : {};
    const json = Array.from({ length: end - start }, (_, index) => entry(start + index));
    await route.fulfill({ headers, json });
  });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries`);
  await expect(page.getByRole('link', { name: 'Webhook 0' })).toBeVisible();
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { longTasks: tasks });
    new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({
      type: 'longtask',
    });
  });
  while (!(await page.getByText('100,000 in total').isVisible()))
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  for (let part = 9; part >= 0; part -= 1)
    await page.evaluate((at) => window.scrollTo(0, (document.documentElement.scrollHeight * at) / 10), part);
  await expect(page.getByRole('link', { name: 'Webhook 0' })).toBeVisible();
  const longest = await page.evaluate(() =>
    Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks),
  );
  expect(longest).toBeLessThan(longestTaskMs);
  expect(await page.getByRole('row').count()).toBeLessThan(100);
});
