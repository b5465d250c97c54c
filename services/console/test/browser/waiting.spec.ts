import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { createRule, createWebhook, fire } from './records.js';
import { openPage, signIn } from './steps.js';

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

test('the overview shows no numbers of another time range while those of the chosen one load', async ({
  page,
  stack,
}) => {
  const id = await createWebhook(stack, { name: 'Of two ranges', path: '/ranges' });
  await fire(stack, (await createRule(stack, id, { name: 'Ranges' })).id);
  await signIn(page, stack);
  await openPage(page, 'Overview');
  await expect(page.getByText('median of the p50 of each hour')).toBeVisible();
  await page.route('**/delivery_stats?*step=day*', () => undefined);
  await page.getByLabel('Time range').selectOption('Last 30 days');
  await expect(page.getByText('Loading the numbers of your deliveries …')).toBeVisible();
  await expect(page.getByText('Success rate')).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Webhooks that need attention' })).toBeVisible();
});

test('the test of a webhook keeps the chosen past alert when newer alerts replace it', async ({
  page,
  stack,
}) => {
  const id = await createWebhook(stack, { name: 'Of the past', path: '/past' });
  const rule = await createRule(stack, id, { name: 'Past rule' });
  const alert = await fire(stack, rule.id);
  await expect(() => stack.api.alerts.get(alert)).toPass();
  let release = (): void => undefined;
  await page.route('**/alerts?limit=20', async (route) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    await route.continue();
  });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks/${id}`);
  await expect(page.getByText('Loading past alerts …')).toBeVisible();
  await expect(page.getByText('No alert has fired yet.')).toBeHidden();
  release();
  const field = page.getByLabel('Values of the test');
  await field.selectOption(alert);
  await page.unroute('**/alerts?limit=20');
  await page.route('**/alerts?limit=20', (route) => route.fulfill({ json: [] }));
  // A page that becomes visible fetches the alerts again if they are older than one minute.
  const later = page.waitForResponse('**/alerts?limit=20');
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 61_000;
    window.dispatchEvent(new Event('visibilitychange'));
  });
  await later;
  await expect(field).toHaveValue(alert);
  await expect(field.locator('option:checked')).toContainText('Past rule');
});
