import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { createWebhook } from './records.js';
import { expectAccessible, openPage, signIn } from './steps.js';

test('an admin names the workspace and chooses webhooks for notices', async ({ page, stack }) => {
  const { api } = stack;
  const id = await createWebhook(stack, { name: 'Notices <b>here</b>', path: '/notices' });
  await signIn(page, stack);
  await openPage(page, 'Settings');
  const name = page.getByLabel('Name of the workspace');
  await name.fill('Risk & <i>fraud</i>');
  await page.getByRole('button', { name: 'Save the name' }).click();
  await expect(page.getByLabel('Workspace', { exact: true })).toContainText('Risk & <i>fraud</i>');

  // Somebody else renames the workspace. The next change of the settings reads this name, but keeps the typed one.
  await name.fill('Typed');
  await api.settings.update({ name: 'Theirs' });
  const notices = page.getByRole('region', { name: 'Notices' });
  const others = notices.getByRole('list', { name: 'Other webhooks for notices' });
  const search = notices.getByLabel('Find webhooks for notices to attach');
  if (await search.isVisible()) await search.fill('Notices <b>');
  await others
    .getByRole('listitem')
    .filter({ hasText: 'Notices <b>here</b>' })
    .getByRole('button', { name: 'Attach' })
    .click();
  const attached = notices.getByRole('list', { name: 'Attached webhooks for notices' });
  await expect(attached).toContainText('Notices <b>here</b>');
  expect(await api.settings.get()).toMatchObject({ name: 'Theirs', notice_webhook_ids: [id] });
  await expect(name).toHaveValue('Typed');
  await expectAccessible(page);
  await attached.getByRole('button', { name: 'Detach' }).click();
  await expect(notices.getByText('a failing webhook is shown here only')).toBeVisible();

  await name.fill('');
  await page.getByRole('button', { name: 'Save the name' }).click();
  await expect(page.getByLabel('Workspace', { exact: true })).toContainText(stack.workspace_id.slice(0, 8));
  expect(await api.settings.get()).toMatchObject({ name: null, notice_webhook_ids: [] });
});
