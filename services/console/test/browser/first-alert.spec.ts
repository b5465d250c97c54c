import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { createRule, createWebhook, fire } from './records.js';
import { expectAccessible, signIn } from './steps.js';

test('a user signs in, sees a new delivery appear and opens it', async ({ page, stack }) => {
  const paths = `${stack.api_url}/w/${stack.workspace_id}`;

  await test.step('an empty workspace shows a link that creates a webhook', async () => {
    await signIn(page, stack);
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Create a webhook' }).first()).toBeVisible();
    await expectAccessible(page);
  });

  const webhookId = await createWebhook(stack, {
    name: 'Chat <b>of the team</b>',
    path: '/chat',
    headers: { 'Content-Type': ['application/json'] },
    body: '{"text": "{{ alert_rule_name }} fired: {{ metric_value }}"}',
  });
  const condition = { threshold: 0.9, bound: 'lower_bound' } as const;
  const rule = await createRule(stack, webhookId, { name: 'Accuracy too low', ...condition });

  await test.step('a new delivery appears without a reload', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Deliveries' }).click();
    await expect(page.getByText('Nothing was delivered yet')).toBeVisible();
    await fire(stack, rule.id, { metric_value: 0.8437 });
    const row = page.getByRole('row').filter({ hasText: 'Chat <b>of the team</b>' });
    await expect(row).toContainText('Succeeded');
    await expectAccessible(page);
    await row.getByRole('link').click();
  });

  await test.step('the delivery page shows the request and the response', async () => {
    await expect(page.getByText('It arrived.')).toBeVisible();
    await expect(page.getByRole('figure', { name: 'Request body' })).toContainText(
      '"Accuracy too low fired: 0.8437"',
    );
    await expectAccessible(page);
  });

  await test.step('the alert page shows the delivery to its webhook', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Alerts' }).click();
    await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
    await page.getByRole('link', { name: 'Accuracy too low' }).click();
    await expect(page.getByRole('row').filter({ hasText: 'Chat <b>of the team</b>' })).toContainText(
      'Succeeded',
    );
    await expectAccessible(page);
  });

  await test.step('the session continues after a reload', async () => {
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Accuracy too low' })).toBeVisible();
    await page.goto(`${paths}/settings`);
    await expect(page.getByText('Every message that arrived could be processed.')).toBeVisible();
    await expectAccessible(page);
  });
});

test('a failing webhook is listed with its reason, and its deliveries can be redelivered', async ({
  page,
  stack,
}) => {
  const webhookId = await createWebhook(stack, {
    name: 'Issue tracker',
    path: '/status/404',
    body: '{"title": "{{ alert_rule_name }}"}',
  });
  const rule = await createRule(stack, webhookId, { name: 'Drift too high' });
  await fire(stack, rule.id);
  await fire(stack, rule.id);

  await signIn(page, stack);
  const trouble = page.getByRole('listitem').filter({ hasText: 'Issue tracker' });
  await expect(trouble).toContainText('404', { timeout: 45_000 });
  await trouble.getByRole('link', { name: 'failed deliveries' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Issue tracker' })).toHaveCount(2);

  await stack.api.webhooks.update(webhookId, { url: `${stack.inbox_url}/tracker` });
  await page.getByRole('button', { name: 'Redeliver the failed deliveries that match' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
  await expect(page.getByText('Redelivered 2 of 2')).toBeVisible();
  await page.getByRole('button', { name: 'Remove the filter Failed' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Succeeded' })).toHaveCount(2);
});
