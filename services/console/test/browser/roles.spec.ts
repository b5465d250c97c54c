import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { createRule, createWebhook } from './records.js';
import { expectAccessible, signIn, signOut } from './steps.js';

const everything = {
  overview: 'Webhooks that need attention',
  alerts: 'Filter',
  deliveries: 'Filter',
  webhooks: 'New webhook',
  'webhooks/new': 'Write a template for the body that the destination receives',
  'alert-rules': 'New alert rule',
  audit: 'Filter',
  settings: 'a failing webhook is shown here only',
};
const reading = {
  ...everything,
  webhooks: 'Creating webhooks is not available to you. It needs the role editor or admin',
  'webhooks/new': 'Creating a webhook is not available to you.',
  'alert-rules': 'Creating alert rules is not available to you.',
  audit: 'The list of changes is not available to you. It needs the role admin in this workspace.',
  settings: 'Changing the settings is not available to you. It needs the role admin in this workspace.',
};

/** For each user and page, a text that the page shows to this user. The users are named after their roles. */
const texts: Record<string, Record<keyof typeof everything, string>> = {
  admin: everything,
  editor: {
    ...everything,
    audit: 'The list of changes is not available to you.',
    settings: 'Changing the settings is not available to you. It needs the role admin in this workspace.',
  },
  responder: reading,
  reader: {
    ...reading,
    deliveries: 'Redelivery is not available to you. It needs the role responder, editor or admin',
    settings: 'The list of dead letters is not available to you.',
  },
  publisher: {
    overview: 'The overview is not available to you. It needs the role reader',
    alerts: 'The deliveries of these alerts are not available to you.',
    deliveries: 'The list of deliveries is not available to you.',
    webhooks: 'The list of webhooks is not available to you.',
    'webhooks/new': 'Creating a webhook is not available to you.',
    'alert-rules': 'The list of alert rules is not available to you.',
    audit: 'The list of changes is not available to you.',
    settings: 'Changing the settings is not available to you.',
  },
  outsider: {
    overview: 'The overview is not available to you. It needs the role reader',
    alerts: 'The list of alerts is not available to you.',
    deliveries: 'You have no role here.',
    webhooks: 'The list of webhooks is not available to you.',
    'webhooks/new': 'Creating a webhook is not available to you.',
    'alert-rules': 'The list of alert rules is not available to you.',
    audit: 'The list of changes is not available to you.',
    settings: 'Reading the settings of this workspace is not available to you.',
  },
};

for (const [user, pages] of Object.entries(texts)) {
  test(`each main page shows what the user ${user} may do, and why other actions are missing`, async ({
    page,
    stack,
  }) => {
    // The workspace needs a webhook. Without one, the overview shows only a text about creating a webhook.
    const webhooks = await stack.api.webhooks.list({ limit: 1 }).toArray();
    if (webhooks.length === 0) await createWebhook(stack, { name: 'Any', path: '/any' });
    await signIn(page, stack, user);
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    for (const [path, text] of Object.entries(pages)) {
      await page.goto(`${stack.api_url}/w/${stack.workspace_id}/${path}`);
      await expect(page.getByText(text).first()).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expect(page.getByRole('alert')).toHaveCount(0);
      if (path === 'overview' || path === 'alerts' || path === 'settings') await expectAccessible(page);
    }
    expect(refused, 'requests that the API refused').toEqual([]);
  });
}

test('a filter for a rule does not call the rule deleted if the user may not list the rules', async ({
  page,
  stack,
}) => {
  const id = await createWebhook(stack, { name: 'Filtered', path: '/filtered' });
  const rule = await createRule(stack, id, { name: 'Filtered' });
  const address = `${stack.api_url}/w/${stack.workspace_id}/alerts?alert_rule_id=`;
  const chosen = page.getByLabel('Alert rule').locator('option:checked');
  await signIn(page, stack, 'publisher');
  await page.goto(`${address}${rule.id}`);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(chosen).toHaveText(rule.id);
  await page.keyboard.press('Escape');
  await signOut(page);

  await signIn(page, stack);
  await page.goto(`${address}${id}`);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(chosen).toHaveText(`${id} (deleted)`);
});

test('a reader sees a webhook and a rule, but no button or enabled switch to change them', async ({
  page,
  stack,
}) => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const webhookId = await createWebhook(stack, {
    name: 'Only read',
    path: '/read-only',
    paused_until: until,
  });
  const rule = await createRule(stack, webhookId, { name: 'Only read', silenced_until: until });
  await signIn(page, stack, 'reader');
  for (const path of [`webhooks/${webhookId}`, `alert-rules/${rule.id}`]) {
    await page.goto(`${stack.api_url}/w/${stack.workspace_id}/${path}`);
    const content = page.getByRole('main');
    await expect(content.getByText('Attaching is not available to you.')).toBeVisible();
    await expect(content.getByText('It ends in')).toBeVisible();
    await expect(content.getByRole('button')).toHaveCount(0);
    await expect(content.getByRole('switch')).toBeDisabled();
    await expectAccessible(page);
  }
});
