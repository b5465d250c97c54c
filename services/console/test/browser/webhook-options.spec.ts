import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { createRule, createWebhook } from './records.js';
import { expectAccessible, signIn } from './steps.js';

test('a user sets options of a webhook, pauses the webhook and silences its rule', async ({
  page,
  stack,
}) => {
  const { api } = stack;
  const id = await createWebhook(stack, { name: 'Optional', path: '/options' });
  const rule = await createRule(stack, id, { name: 'Silent rule' });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks/${id}/edit`);
  await page.getByText('Timeout, retries, rate limit and ids').click();
  await page.getByLabel('Timeout in seconds').fill('5 s');
  await page.getByLabel('External id').fill('risk/optional');
  await page.getByLabel('Rate limit: requests').fill('10');
  await page.getByLabel('Rate limit: period in seconds').fill('60');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Enter 1 to 20 seconds, such as 10.')).toBeVisible();
  await page.getByLabel('Timeout in seconds').fill('5');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved.', { exact: true })).toBeInViewport();
  expect(await api.webhooks.get(id)).toMatchObject({
    timeout_ms: 5_000,
    external_id: 'risk/optional',
    rate_limit: { requests: 10, period_ms: 60_000 },
  });
  await expect(page.getByText('10 requests in 60 s')).toBeVisible();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(page.getByRole('button', { name: 'End the pause' })).toBeVisible();
  expect((await api.webhooks.get(id)).paused_until).not.toBeNull();
  await page.getByRole('button', { name: 'End the pause' }).click();
  await page.getByRole('link', { name: rule.name }).click();
  await page.getByRole('button', { name: 'Silence', exact: true }).click();
  await expect(page.getByRole('button', { name: 'End the silence' })).toBeVisible();
  await page.getByRole('button', { name: 'Fire test alert' }).click();
  await expect(page.getByText('The alert rule was silenced')).toBeVisible();
  await expectAccessible(page);
});

test('a user turns signing on, and creates, rotates and deletes secrets that are shown once', async ({
  page,
  stack,
}) => {
  const { api } = stack;
  const id = await createWebhook(stack, { name: 'Signed', path: '/signed' });
  const address = `${stack.api_url}/w/${stack.workspace_id}/webhooks/${id}`;
  await signIn(page, stack);
  await page.goto(address);
  await page.getByText('Requests are not signed').click();
  await expect(page.getByText('this webhook has no signing secret')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create a secret' }).click();
  const shown = page.getByText(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await expect(shown).toBeVisible();
  const secret = await shown.innerText();
  await expect(page.getByText('this webhook has no signing secret')).toBeHidden();
  await expect(page.getByText('the only secret: it cannot be deleted')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Hide the secret' }).click();
  await expect(shown).toBeHidden();

  await page.getByLabel('Existing secrets').selectOption('stop after 1 hour');
  await page.getByRole('button', { name: 'Create a new secret' }).click();
  await expect(shown).toBeVisible();
  expect(await shown.innerText()).not.toBe(secret);
  const secrets = page.getByRole('list', { name: 'Signing secrets' });
  await expect(secrets.getByRole('listitem')).toHaveCount(2);
  await expect(secrets).toContainText('signs until');
  const stored = await api.webhooks.signingSecrets.list(id).toArray();
  const lifetimeMs = Date.parse(stored[0]!.expires_at!) - Date.parse(stored[1]!.created_at);
  expect(lifetimeMs / 1_000).toBeCloseTo(3_600, -1);

  await page.reload();
  await expect(secrets.getByRole('listitem')).toHaveCount(2);
  await expect(page.getByText('whsec_')).toHaveCount(0);
  await secrets
    .getByRole('button', { name: /^Delete Secret/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Delete', exact: true }).last().click();
  await expect(secrets.getByRole('listitem')).toHaveCount(1);
  await page.getByText('Requests are signed', { exact: true }).click();
  await expect(page.getByText('Requests are not signed')).toBeVisible();
  expect(await api.webhooks.get(id)).toMatchObject({ signing: false });
});
