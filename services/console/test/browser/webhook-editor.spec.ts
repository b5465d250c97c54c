import { expect, type Locator, type Page } from '@playwright/test';
import { test } from './fixtures.js';
import { createRule, createWebhook } from './records.js';
import { expectAccessible, openPage, signIn } from './steps.js';

test('a user creates, tests and corrects a webhook, and redelivers its failed deliveries', async ({
  page,
  stack,
}) => {
  test.setTimeout(120_000);
  const name = 'Editor <b>chat</b>';
  const template = page.getByRole('textbox', { name: 'Template' });
  await signIn(page, stack);

  await test.step('a ready-made template is shown with a picture and fills the form', async () => {
    await openPage(page, 'Webhooks');
    await page.getByRole('link', { name: 'New webhook' }).first().click();
    await expect(
      page.getByRole('listitem').filter({ hasText: 'Slack message' }).getByRole('figure'),
    ).toBeVisible();
    await expect(page.getByText('No template yet. A webhook needs one.')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Use Slack message', exact: true }).click();
    await expect(template).toContainText('"blocks"');
    await expect(page.getByLabel('Rendered body')).toContainText('Accuracy below target fired');
  });

  await test.step('an error is marked in its line until it is corrected', async () => {
    await template.press('Control+End');
    await page.keyboard.type(',');
    await expect(page.locator('.error-line')).toHaveCount(1);
    await expect(page.getByRole('button', { name: /^Error in line \d+/ })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Preview' })).toContainText('Not JSON in line');
    await expectAccessible(page);
    await template.press('Backspace');
    await expect(page.getByText('No problems')).toBeVisible();
    await expect(page.locator('.error-line')).toHaveCount(0);
  });

  await test.step('the editor completes a name', async () => {
    await template.press('Control+End');
    await page.keyboard.type('{{ metr');
    await page.getByRole('option', { name: /^metric_value/ }).click();
    await expect(template).toContainText('{{ metric_value}}');
    await undoUntil(page, page.getByText('No problems'));
  });

  await test.step('the preview shows changed sample values as text', async () => {
    await page.getByText('Sample values', { exact: true }).click();
    await page.getByLabel('model_name').fill('Fraud "v3" <i>');
    await expect(page.getByLabel('Rendered body')).toContainText('Fraud \\"v3\\"');
    await expect(page.locator('.preview .picture')).toContainText('Fraud "v3" <i>');
    await page.getByLabel('metric_value').fill('0,5');
    await expect(page.getByText('Write a number, such as 0.42.')).toBeVisible();
    await page.getByRole('button', { name: 'Reset to the example' }).click();
  });

  await test.step('a test shows status, response and duration before anything is saved', async () => {
    await page.getByLabel('URL').fill(`${stack.inbox_url}/status/404/editor`);
    await page.getByRole('button', { name: 'Send test' }).click();
    await expect(page.getByText('Likely cause: Wrong URL')).toBeVisible();
    await page.getByLabel('URL').fill(`${stack.inbox_url}/editor`);
    await page.getByRole('button', { name: 'Send test' }).click();
    await expect(page.getByText('The destination accepted the test.')).toBeVisible();
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await expect(page.getByText('Give the webhook a name.')).toBeVisible();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
  });

  await test.step('a rule is created with the webhook, and its test alert is delivered', async () => {
    await expectAccessible(page);
    await page.getByRole('link', { name: 'New alert rule' }).click();
    await expect(page.getByText(`It calls the webhook ${name}.`)).toBeVisible();
    await page.getByLabel('Name', { exact: true }).fill('Editor rule');
    await page.getByRole('button', { name: 'Generate an id' }).click();
    await page.getByLabel('Threshold').fill('0.9');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create alert rule' }).click();
    await expect(page.getByRole('list', { name: 'Attached webhooks' })).toContainText(name);
    await page.getByRole('button', { name: 'Fire test alert' }).click();
    await expect(page.getByRole('list', { name: 'Deliveries of the test alert' })).toContainText('Succeeded');
    await expectAccessible(page);
  });

  await test.step('a webhook is detached from the rule and attached again', async () => {
    await page.getByRole('button', { name: 'Detach' }).click();
    await expect(page.getByText('None yet: its alerts are recorded, and nothing is sent.')).toBeVisible();
    await page
      .getByRole('list', { name: 'Other webhooks' })
      .getByRole('listitem')
      .filter({ hasText: name })
      .getByRole('button', { name: 'Attach' })
      .click();
    await expect(page.getByRole('list', { name: 'Attached webhooks' })).toContainText(name);
  });

  await test.step('a failing destination is listed on the overview with the reason', async () => {
    await page.getByRole('list', { name: 'Attached webhooks' }).getByRole('link').click();
    await expect(page.getByRole('list', { name: 'Latest deliveries' })).toContainText('Succeeded');
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('URL').fill(`${stack.inbox_url}/status/404/editor`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('list', { name: 'Attached alert rules' }).getByRole('link').click();
    await page.getByRole('button', { name: 'Fire test alert' }).click();
    await expect(page.getByRole('list', { name: 'Deliveries of the test alert' })).toContainText('Failed');
    await openPage(page, 'Webhooks');
    const row = page.getByRole('row').filter({ hasText: name });
    await expect(row).toContainText('Failing', { timeout: 20_000 });
    await expect(row).toContainText('404');
    await expectAccessible(page);
    await row.getByRole('link').click();
  });

  await test.step('failed deliveries are redelivered after the destination recovers', async () => {
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('URL').fill(`${stack.inbox_url}/editor`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Failed deliveries' }).click();
    await page.getByRole('button', { name: 'Redeliver the failed deliveries that match' }).click();
    await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
    await expect(page.getByText('Redelivered 1 of 1')).toBeVisible();
    await openPage(page, 'Webhooks');
    await expect(page.getByRole('row').filter({ hasText: name })).toContainText('Healthy', {
      timeout: 20_000,
    });
  });

  await test.step('rules are listed with condition and webhooks, and can be disabled in the list', async () => {
    await openPage(page, 'Alert rules');
    const row = page.getByRole('row').filter({ hasText: 'Editor rule' });
    await expect(row).toContainText('above 0.9');
    await expect(row).toContainText(name);
    await row.getByRole('switch').click({ force: true });
    await expect(row.getByRole('switch')).not.toBeChecked();
    await expectAccessible(page);
  });
});

test('a conflicting change by another user is reported, and is overwritten only on request', async ({
  page,
  stack,
}) => {
  const id = await createWebhook(stack, { name: 'Shared', path: '/conflict' });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks/${id}/edit`);
  await page.getByLabel('Name', { exact: true }).fill('Mine');
  await stack.api.webhooks.update(id, { body: '{"a": 2}' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Somebody else changed this webhook')).toBeVisible();
  expect((await stack.api.webhooks.get(id)).name).toBe('Shared');
  await page.getByRole('button', { name: 'Overwrite their changes' }).click();
  await expect(page.getByRole('heading', { name: 'Mine', level: 1 })).toBeVisible();
  expect(await stack.api.webhooks.get(id)).toMatchObject({ name: 'Mine', body: '{"a": 2}' });
});

test('an API error is shown at its field, and leaving with unsaved changes needs confirmation', async ({
  page,
  stack,
}) => {
  const headers = { 'X-Secret': ['a secret value'] };
  const id = await createWebhook(stack, { name: 'Checked', path: '/checked', headers });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/webhooks/${id}/edit`);
  await expect(page.getByRole('textbox', { name: 'Value of X-Secret' })).toHaveAttribute('type', 'password');
  await page.getByRole('button', { name: 'Show the value of X-Secret' }).click();
  await expect(page.getByRole('textbox', { name: 'Value of X-Secret' })).toHaveValue('a secret value');
  await page.getByLabel('URL').fill('ftp://files.example.com/');
  await page.getByLabel('Name of header 1').fill('Host');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByLabel('URL')).toBeFocused();
  await expect(page.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByLabel('Name of header 1')).toHaveAttribute('aria-invalid', 'true');
  await expectAccessible(page);
  await openPage(page, 'Alert rules');
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(page.getByLabel('URL')).toHaveValue('ftp://files.example.com/');
  await openPage(page, 'Alert rules');
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByRole('heading', { name: 'Alert rules', level: 1 })).toBeVisible();
});

test('typed settings of a rule survive its changes, and overwrite a conflict only on request', async ({
  page,
  stack,
}) => {
  const { api } = stack;
  const webhookId = await createWebhook(stack, { name: 'Of the settings', path: '/settings' });
  const { id } = await createRule(stack, webhookId, { name: 'Settings' });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/alert-rules/${id}`);
  const threshold = page.getByLabel('Threshold');
  const cooldown = page.getByLabel('Cooldown in seconds');
  const save = page.getByRole('button', { name: 'Save', exact: true });

  await test.step('a saved change of another control keeps the typed text', async () => {
    await threshold.fill('0.77');
    await api.alertRules.update(id, { cooldown_seconds: 7 });
    await page.getByRole('switch').click({ force: true });
    await expect(page.getByRole('switch')).not.toBeChecked();
    await expect(cooldown).toHaveValue('7');
    await expect(threshold).toHaveValue('0.77');
    await page.getByRole('button', { name: 'Detach' }).click();
    await expect(page.getByText('None yet: its alerts are recorded, and nothing is sent.')).toBeVisible();
    await expect(threshold).toHaveValue('0.77');
  });

  await test.step('leaving with unsaved settings needs confirmation', async () => {
    await openPage(page, 'Alerts');
    await page.getByRole('button', { name: 'Stay' }).click();
    await expect(threshold).toHaveValue('0.77');
  });

  await test.step('a conflicting change is overwritten only on request', async () => {
    await api.alertRules.update(id, { threshold: 0.5 });
    await save.click();
    await expect(page.getByText('Somebody else changed this alert rule')).toBeVisible();
    await expectAccessible(page);
    expect((await api.alertRules.get(id)).threshold).toBe(0.5);
    await page.getByRole('button', { name: 'Overwrite their changes' }).click();
    await expect(page.getByText('Fires when the metric is above 0.77.')).toBeVisible();
    expect(await api.alertRules.get(id)).toMatchObject({ threshold: 0.77, cooldown_seconds: 7 });
  });

  await test.step('discarded changes are replaced by the values of the other user', async () => {
    await threshold.fill('0.66');
    await api.alertRules.update(id, { threshold: 0.4 });
    await save.click();
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    await expect(threshold).toHaveValue('0.4');
    await threshold.fill('0.30');
    await save.click();
    await expect(threshold).toHaveValue('0.3');
    await openPage(page, 'Alerts');
    await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  });

  await test.step('a rule with unsaved settings is deleted without a second question', async () => {
    await page.goto(`${stack.api_url}/w/${stack.workspace_id}/alert-rules/${id}`);
    await threshold.fill('0.2');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('heading', { name: 'Alert rules', level: 1 })).toBeVisible();
  });

  await test.step('leaving a new rule with typed text needs confirmation', async () => {
    await page.getByRole('link', { name: 'New alert rule' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Typed');
    await page.getByRole('button', { name: 'Create alert rule' }).click();
    await expect(page.getByLabel('Model', { exact: true })).toBeFocused();
    await openPage(page, 'Alerts');
    await page.getByRole('button', { name: 'Leave' }).click();
    await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  });
});

async function undoUntil(page: Page, target: Locator): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('Control+z');
    await expect(target).toBeVisible({ timeout: 200 });
  }).toPass();
}
