import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { createRule, createWebhook } from './records.js';
import { expectAccessible, signIn } from './steps.js';

test('the deletion of a webhook in use names its rules and notices before it detaches them', async ({
  page,
  stack,
}) => {
  const { api } = stack;
  const id = await createWebhook(stack, { name: 'In use', path: '/in-use' });
  const names = Array.from({ length: 21 }, (_, index) => `Calls it ${10 + index}`);
  const rules = await Promise.all(names.map((name) => createRule(stack, id, { name })));
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks/${id}`);
  const attached = page.getByRole('list', { name: 'Attached alert rules' }).getByRole('listitem');
  await expect(attached).toHaveCount(10);
  await page.getByRole('button', { name: 'Show all 21 attached alert rules' }).click();
  await expect(attached).toHaveCount(21);
  await page.getByRole('button', { name: 'Show the first 10 attached alert rules' }).click();
  await expect(attached).toHaveCount(10);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  // The API names 20 rules.
  await expect(page.getByRole('alert')).toContainText(/"Calls it 29" .* and 1 more/);
  await expect(page.getByRole('button', { name: 'Detach and delete' })).toBeFocused();
  await page.getByRole('button', { name: 'Detach and delete' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('It is first detached from all alert rules');
  await expectAccessible(page);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Detach and delete' }).click();
  await expect(page.getByRole('heading', { name: 'Webhooks', level: 1 })).toBeVisible();
  // A list renders only the rows near the window, so these rules would hide the rules of other tests.
  await Promise.all(rules.map((rule) => api.alertRules.delete(rule.id)));

  const notified = await createWebhook(stack, { name: 'For notices', path: '/for-notices' });
  await api.settings.update({ notice_webhook_ids: [notified] });
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks/${notified}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('The workspace calls the webhook for notices')).toBeVisible();
  await page.getByRole('button', { name: 'Detach and delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Detach and delete' }).click();
  await expect(page.getByRole('heading', { name: 'Webhooks', level: 1 })).toBeVisible();
  expect((await api.settings.get()).notice_webhook_ids).toEqual([]);
});
