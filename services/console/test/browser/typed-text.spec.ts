import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { createWebhook } from './records.js';
import { expectAccessible, signIn } from './steps.js';

test('text that is typed after a conflict is saved too when the user overwrites the changes', async ({
  page,
  stack,
}) => {
  const { api } = stack;
  const id = await createWebhook(stack, { name: 'Typed', path: '/typed' });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks/${id}/edit`);
  const name = page.getByLabel('Name', { exact: true });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else changed this webhook' });

  await test.step('discarding shows the other version, and the focus returns to the save button', async () => {
    await name.fill('Mine');
    await api.webhooks.update(id, { name: 'Theirs' });
    await save.click();
    await expect(conflict).toBeInViewport({ ratio: 1 });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    await expect(conflict).toBeHidden();
    await expect(name).toHaveValue('Theirs');
    await expect(save).toBeFocused();
  });

  await test.step('overwriting sends the form as it is now', async () => {
    await name.fill('Mine');
    await api.webhooks.update(id, { body: '{"a": 2}' });
    await save.click();
    await expect(conflict).toBeInViewport({ ratio: 1 });
    await name.fill('Mine, and more');
    await page.getByRole('button', { name: 'Overwrite their changes' }).click();
    await expect(page.getByRole('heading', { name: 'Mine, and more', level: 1 })).toBeVisible();
    expect(await api.webhooks.get(id)).toMatchObject({ name: 'Mine, and more', body: '{"a": 2}' });
  });
});

test('a user who leaves while a webhook is saved is asked, and keeps the form if saving fails', async ({
  page,
  stack,
}) => {
  const id = await createWebhook(stack, { name: 'Slow to save', path: '/slow-to-save' });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(`**/api/v1/webhooks/${id}`, async (route, request) => {
    if (request.method() !== 'PATCH') return route.continue();
    await released;
    return route.fulfill({ status: 500, json: {} });
  });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks/${id}/edit`);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Typed');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Saving …' })).toBeVisible();
  await page.getByRole('link', { name: 'Alerts', exact: true }).click();
  await expect(page.getByText('Leave without saving?')).toBeVisible();
  release();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(name).toHaveValue('Typed');

  await page.unroute(`**/api/v1/webhooks/${id}`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Typed', level: 1 })).toBeVisible();
});

test('a time filter takes a time that is typed digit by digit', async ({ page, stack }) => {
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/alerts`);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const from = page.getByLabel('From', { exact: true });
  await from.focus();
  // Chromium shows the parts month, day, year, hour, minute, and AM or PM. The year can have more than four digits, so
  // the arrow key ends it.
  await expect(from).toBeFocused();
  await page.keyboard.type('11052026');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('0930A');
  await expect(from).toHaveValue('2026-11-05T09:30');
  await expect(page).toHaveURL(/since=2026-11-05T09%3A30%3A00.000Z/);
  for (const _part of ['minute', 'hour', 'year']) await page.keyboard.press('ArrowLeft');
  await page.keyboard.type('2025');
  await expect(from).toHaveValue('2025-11-05T09:30');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page).toHaveURL(/since=2025-11-05T09%3A30%3A00.000Z/);
});
