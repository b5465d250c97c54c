import { expect, type Locator, type Page } from '@playwright/test';
import { test } from './fixtures.js';
import { createRule, createWebhook, fire } from './records.js';
import type { BrowserStack } from './stack.js';
import { focusByTab, signIn } from './steps.js';

test('a user can do all steps from sign-in to redelivery by keyboard alone', async ({ page, stack }) => {
  test.setTimeout(180_000);
  const { press, fill, open } = keyboardOf(page);
  const template = page.getByRole('textbox', { name: 'Template' });
  const fired = page.getByRole('list', { name: 'Deliveries of the test alert' });
  await signInByKeyboard(page, stack);

  await test.step('a webhook is created from a ready-made template', async () => {
    await open('Webhooks');
    await press(page.getByRole('link', { name: 'New webhook' }).first());
    await press(page.getByRole('button', { name: 'Use Slack message', exact: true }));
    await fill(page.getByLabel('Name', { exact: true }), 'By keyboard');
    await fill(page.getByLabel('URL'), `${stack.inbox_url}/keyboard`);
    await focusByTab(page, template);
    await page.keyboard.press('Control+End');
    await page.keyboard.type(',');
    await expect(page.locator('.error-line')).toHaveCount(1);
    await press(page.getByRole('button', { name: /^Error in line \d+/ }));
    await expect(template).toBeFocused();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Backspace');
    await expect(page.getByText('No problems')).toBeVisible();
    await press(page.getByRole('button', { name: 'Send test' }));
    await expect(page.getByText('The destination accepted the test.')).toBeVisible();
    await press(page.getByRole('button', { name: 'Create webhook' }));
  });

  await test.step('a rule is created for the webhook, and its test alert is delivered', async () => {
    await press(page.getByRole('link', { name: 'New alert rule' }));
    await fill(page.getByLabel('Name', { exact: true }), 'Keyboard rule');
    await press(page.getByRole('button', { name: 'Generate an id' }));
    await fill(page.getByLabel('Threshold'), '0.5');
    await press(page.getByRole('button', { name: 'Create alert rule' }));
    await press(page.getByRole('button', { name: 'Fire test alert' }));
    await expect(fired).toContainText('Succeeded');
    await open('Deliveries');
    await press(page.getByRole('row').filter({ hasText: 'By keyboard' }).first().getByRole('link'));
    await expect(page.getByText('It arrived.')).toBeVisible();
    await focusByTab(page, page.getByRole('figure', { name: 'Request body' }));
  });

  await test.step('a failing destination is shown with its reason', async () => {
    await changeUrl(`${stack.inbox_url}/status/404/keyboard`);
    await press(page.getByRole('list', { name: 'Attached alert rules' }).getByRole('link'));
    await press(page.getByRole('button', { name: 'Fire test alert' }));
    await expect(fired).toContainText('Failed');
    await open('Overview');
    await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
    const trouble = page.getByRole('listitem').filter({ hasText: 'By keyboard' });
    await expect(trouble).toContainText('404', { timeout: 45_000 });
    await press(trouble.getByRole('link', { name: 'By keyboard' }));
  });

  await test.step('all failed deliveries are redelivered', async () => {
    await changeUrl(`${stack.inbox_url}/keyboard`);
    await press(page.getByRole('link', { name: 'Failed deliveries' }));
    await press(page.getByRole('button', { name: 'Redeliver the failed deliveries that match' }));
    await press(page.getByRole('button', { name: 'Redeliver', exact: true }));
    await expect(page.getByText('Redelivered 1 of 1')).toBeVisible();
  });

  async function changeUrl(url: string): Promise<void> {
    if (await page.getByText('It arrived.').isVisible())
      await press(page.getByRole('link', { name: 'By keyboard', exact: true }));
    await press(page.getByRole('link', { name: 'Edit', exact: true }));
    await fill(page.getByLabel('URL'), url);
    await press(page.getByRole('button', { name: 'Save', exact: true }));
    await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
  }
});

test('a user can use filters, rules, signing, settings and sign-out with the keyboard alone', async ({
  page,
  stack,
}) => {
  test.setTimeout(120_000);
  const { press, fill, open } = keyboardOf(page);
  const id = await createWebhook(stack, { name: 'Keys', path: '/keys' });
  await createRule(stack, id, { name: 'Keys rule' });
  await signInByKeyboard(page, stack);

  await open('Deliveries');
  await expect(page.getByRole('heading', { name: 'Deliveries', level: 1 })).toBeFocused();
  await press(page.getByRole('button', { name: 'Filter', exact: true }));
  await focusByTab(page, page.getByLabel('State'));
  await page.keyboard.press('f');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page).toHaveURL(/status=failed/);
  await expect(page.getByRole('button', { name: 'Filter', exact: true })).toBeFocused();
  await press(page.getByRole('button', { name: 'Remove the filter Failed' }));
  await expect(page).not.toHaveURL(/status=failed/);

  await open('Alerts');
  await press(page.getByRole('button', { name: 'Filter', exact: true }));
  await focusByTab(page, page.getByLabel('Outcome'));
  await page.keyboard.press('s');
  await press(page.getByRole('button', { name: 'Done' }));
  await expect(page).toHaveURL(/outcome=suppressed/);

  await open('Alert rules');
  await fill(page.getByLabel('Search by name or model'), 'Keys rule');
  await focusByTab(page, page.getByRole('switch', { name: 'Keys rule is enabled' }));
  await page.keyboard.press('Space');
  await expect(page.getByRole('switch', { name: 'Keys rule is enabled' })).not.toBeChecked();
  await expect(page.getByRole('switch', { name: 'Keys rule is enabled' })).toBeFocused();
  await press(page.getByRole('row').getByRole('link', { name: 'Keys rule' }));
  await press(page.getByRole('button', { name: 'Silence', exact: true }));
  await press(page.getByRole('button', { name: 'End the silence' }));
  await press(page.getByRole('list', { name: 'Attached webhooks' }).getByRole('link'));

  await press(page.getByRole('button', { name: 'Create a secret' }));
  await press(page.getByRole('button', { name: 'Hide the secret' }));
  await press(page.getByRole('button', { name: /^Delete Secret/ }));
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }));
  await expect(page.getByRole('list', { name: 'Signing secrets' })).toBeHidden();

  await open('Audit');
  await press(page.getByRole('link', { name: 'tocsin-admin' }).first());
  await expect(page).toHaveURL(/principal=/);

  await open('Settings');
  await fill(page.getByLabel('Name of the workspace'), 'By keys');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Workspace', { exact: true })).toContainText('By keys');
  await stack.api.settings.update({ name: null });
  await press(page.getByRole('button', { name: 'Sign out' }));
  await press(page.getByRole('button', { name: 'Sign out' }));
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
});

test('arrow keys and Home move between the bars of the overview, and Enter opens the deliveries', async ({
  page,
  stack,
}) => {
  await signIn(page, stack);
  const webhookId = await createWebhook(stack, { name: 'Bars', path: '/bars' });
  const rule = await createRule(stack, webhookId, { name: 'Bars' });
  await fire(stack, rule.id);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/overview?range=1h`);
  const bars = page.getByRole('list', { name: 'Deliveries by minute' }).getByRole('link');
  await expect(bars.last()).toBeVisible({ timeout: 30_000 });
  await bars.last().focus();
  await page.keyboard.press('Home');
  await expect(bars.first()).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(bars.nth(1)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/deliveries\?since=.*until=/);
});

/** Actions that use only the keyboard. */
function keyboardOf(page: Page) {
  const press = async (target: Locator) => {
    await focusByTab(page, target);
    await page.keyboard.press('Enter');
  };
  return {
    press,
    async fill(target: Locator, text: string) {
      await focusByTab(page, target);
      await page.keyboard.press('Control+a');
      await page.keyboard.type(text);
    },
    open: (name: string) =>
      press(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true })),
  };
}

async function signInByKeyboard(page: Page, stack: BrowserStack): Promise<void> {
  await page.goto(stack.api_url);
  await focusByTab(page, page.getByRole('button', { name: 'Sign in' }));
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('User name')).toBeFocused();
  await page.keyboard.type('admin');
  await focusByTab(page, page.getByLabel('Password'));
  await page.keyboard.type(stack.users.admin!);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
}
