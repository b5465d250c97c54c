import { randomUUID } from 'node:crypto';
import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { createRule, createWebhook, fire } from './records.js';
import { expectAccessible, signIn } from './steps.js';

/** Reply of the API to a request that fails because of a fault. */
const fault = {
  status: 500,
  headers: { 'content-type': 'application/problem+json' },
  body: JSON.stringify({ code: 'internal_error', detail: 'Something failed.' }),
};

test('the error message of a page stays and keeps the focus while polls fail', async ({ page, stack }) => {
  const id = randomUUID();
  let requests = 0;
  await page.route(`**/api/v1/deliveries/${id}`, (route) => {
    requests += 1;
    return route.fulfill(fault);
  });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries/${id}`);
  const message = await page.getByRole('alert').elementHandle();
  const button = page.getByRole('button', { name: 'Try again' });
  await button.focus();
  const before = requests;
  await expect.poll(() => requests, { timeout: 15_000 }).toBeGreaterThan(before + 1);
  await expect(button).toBeFocused();
  expect(await message?.evaluate((element) => element.isConnected)).toBe(true);
});

test('the page of a delivery that does not exist sends no more requests', async ({ page, stack }) => {
  const id = randomUUID();
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().endsWith(`/api/v1/deliveries/${id}`)) requests += 1;
  });
  await signIn(page, stack);
  await page.clock.install();
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries/${id}`);
  await expect(page.getByRole('alert')).toBeVisible();
  const before = requests;
  await page.clock.runFor(20_000);
  expect(requests).toBe(before);
});

test('the latest deliveries of a webhook stay visible if a poll fails', async ({ page, stack }) => {
  const webhookId = await createWebhook(stack, { name: 'Polled', path: '/polled' });
  const rule = await createRule(stack, webhookId, { name: 'Polled' });
  await fire(stack, rule.id);
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks/${webhookId}`);
  const deliveries = page.getByRole('list', { name: 'Latest deliveries' });
  await expect(deliveries).toBeVisible({ timeout: 15_000 });
  await page.route('**/deliveries?*', (route) => route.fulfill(fault));
  await expect(page.getByText('Something failed.')).toBeVisible({ timeout: 15_000 });
  await expect(deliveries).toBeVisible();
  await expectAccessible(page);
});

test('a list says that loading more failed, until another filter is set or the user tries again', async ({
  page,
  stack,
}) => {
  const newest = Date.now();
  const entries = Array.from({ length: 50 }, (_, index) => ({
    id: randomUUID(),
    webhook_name: `Webhook ${index}`,
    destination: 'https://chat.example.com',
    status: 'succeeded',
    attempts_made: 1,
    created_at: new Date(newest - index * 1_000).toISOString(),
    response: null,
    error_code: null,
  }));
  let isFaulty = true;
  await page.route('**/api/v1/workspaces/*/deliveries?*', (route, request) => {
    const query = new URL(request.url()).searchParams;
    if (query.get('status') === 'failed') return route.fulfill({ json: [] });
    const limit = Number(query.get('limit'));
    if (limit > 30) return route.fulfill(isFaulty ? fault : { json: entries });
    const headers = { link: '</next?cursor=30>; rel="next"' };
    return route.fulfill({ json: entries.slice(0, limit), headers });
  });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries`);
  const scrollToEnd = async () => {
    await page.getByRole('link', { name: 'Webhook 0', exact: true }).focus();
    await page.keyboard.press('Control+End');
  };
  await scrollToEnd();
  await expect(page.getByText('30 loaded, loading more failed')).toBeVisible();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('State').selectOption('Failed');
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('No delivery matches')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove the filter Failed' }).click();
  await scrollToEnd();
  await expect(page.getByText('30 loaded, loading more failed')).toBeVisible();

  isFaulty = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.keyboard.press('Control+End');
  await expect(page.getByText('50 in total')).toBeVisible();
});

test('a running job does not cancel the search of the list that it changes', async ({ page, stack }) => {
  const job = { id: randomUUID(), status: 'running', matched: 10, done: 2, created_at: new Date() };
  let jobPolls = 0;
  let cancelled = 0;
  let listRequests = 0;
  await page.route('**/redeliveries?*', (route) => {
    jobPolls += 1;
    return route.fulfill({ json: [job] });
  });
  await page.route('**/api/v1/workspaces/*/deliveries?*', async (route) => {
    listRequests += 1;
    // The first request is fast. The later ones take longer than the time between two polls of the job.
    if (listRequests > 1) await new Promise((resolve) => setTimeout(resolve, 3_000));
    await route.fulfill({ json: [] }).catch(() => {});
  });
  page.on('requestfailed', (request) => {
    if (request.url().includes('/deliveries?')) cancelled += 1;
  });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries`);
  await expect.poll(() => listRequests, { timeout: 15_000 }).toBeGreaterThan(1);
  const before = jobPolls;
  await expect.poll(() => jobPolls, { timeout: 15_000 }).toBeGreaterThan(before + 2);
  expect(cancelled).toBe(0);
});
