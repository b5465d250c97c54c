import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { expectAccessible, signIn } from './steps.js';

test('a failed request for the permissions is not shown as a missing permission', async ({ page, stack }) => {
  await signIn(page, stack);
  await page.route('**/api/v1/whoami', (route) => route.abort('connectionrefused'));
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries`);
  await expect(page.getByText('cannot be reached')).toBeVisible();
  await expect(page.getByText('is not available to you')).toHaveCount(0);
  await expectAccessible(page);
  await page.unroute('**/api/v1/whoami');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('cannot be reached')).toBeHidden();
});

test('a rejected request whose retry has to wait is shown immediately', async ({ page, stack }) => {
  await signIn(page, stack);
  const detail = 'Too many requests of this workspace.';
  const headers = { 'content-type': 'application/problem+json', 'retry-after': '50' };
  const reply = { status: 429, headers, body: JSON.stringify({ code: 'too_many_requests', detail }) };
  await page.route('**/deliveries?*', (route) => route.fulfill(reply));
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries`);
  await expect(page.getByText(detail)).toBeVisible();
});
