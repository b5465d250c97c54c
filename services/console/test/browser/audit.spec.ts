import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { createWebhook } from './records.js';
import { expectAccessible, openPage, signIn } from './steps.js';

test('an admin sees who changed which fields of a webhook, without the values', async ({ page, stack }) => {
  const { api } = stack;
  const id = await createWebhook(stack, { name: 'Audited <b>one</b>', path: '/audited' });
  await api.webhooks.update(id, { headers: { 'X-Secret': ['never shown'] }, timeout_ms: 5_000 });
  await api.webhooks.signingSecrets.create(id);
  await signIn(page, stack);
  await openPage(page, 'Audit');
  const rows = page.getByRole('row').filter({ hasText: 'Audited <b>one</b>' });
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(0)).toContainText('Signing secret created');
  await expect(rows.nth(1)).toContainText('Webhook changed');
  await expect(rows.nth(1)).toContainText('headers');
  await expect(rows.nth(1)).toContainText('timeout_ms');
  await expect(page.getByText('never shown')).toHaveCount(0);
  await expectAccessible(page);

  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks/${id}`);
  await page.getByRole('link', { name: 'Changes of this webhook' }).click();
  await expect(page.getByRole('button', { name: 'Remove the filter of Audited <b>one</b>' })).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(4);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('Change', { exact: true }).selectOption('Webhook created');
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByRole('row').nth(1).getByRole('link').last().click();
  await expect(page).toHaveURL(/principal=.*/);
  await expect(page.getByRole('row')).toHaveCount(2);
});

test('the start of a bulk redelivery is listed in the audit events', async ({ page, stack }) => {
  const { id } = await stack.api.redeliveries.create({ status: 'failed', since: new Date().toISOString() });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/audit?resource_id=${id}`);
  await expect(page.getByRole('row').nth(1)).toContainText('Bulk redelivery started');
});
