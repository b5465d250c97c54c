import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { createRule, createWebhook, fire } from './records.js';
import { signIn } from './steps.js';

const tenMinutesAgo = () => new Date(Date.now() - 600_000).toISOString();

test('an attempt that is due is shown as due now on the page of its alert', async ({ page, stack }) => {
  const paused_until = new Date(Date.now() + 3_600_000).toISOString();
  const id = await createWebhook(stack, { name: 'Due', path: '/due' });
  await stack.api.webhooks.update(id, { paused_until });
  const alert = await fire(stack, (await createRule(stack, id, { name: 'Due rule' })).id);
  const row = page.getByRole('row').filter({ hasText: 'Due' });
  await page.route('**/deliveries?*', async (route) => {
    const response = await route.fetch();
    const deliveries = (await response.json()) as object[];
    const changes = { next_attempt_at: tenMinutesAgo(), waiting_reason: 'no_slot' };
    const json = deliveries.map((delivery) => ({ ...delivery, ...changes }));
    await route.fulfill({ response, json });
  });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/alerts/${alert}`);
  await expect(row).toContainText('Waiting');
  await expect(row.getByRole('cell').last()).toHaveText('now');
});

test('the overview shows that a delivery of an alert before the time range waits', async ({
  page,
  stack,
}) => {
  await createWebhook(stack, { name: 'Of the overview', path: '/overview' });
  await signIn(page, stack);
  await page.route('**/delivery_stats?*', async (route) => {
    const response = await route.fetch();
    const json = { ...((await response.json()) as object), steps: [], oldest_open_at: tenMinutesAgo() };
    await route.fulfill({ response, json });
  });
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/overview?range=1h`);
  await expect(
    page.getByText('none of this time range; an older one has waited for 10 minutes'),
  ).toBeVisible();
  await page.getByRole('link', { name: '0', exact: true }).click();
  await expect(page).toHaveURL(/status=waiting/);
});
