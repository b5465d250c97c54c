import { randomUUID } from 'node:crypto';
import { expect } from '@playwright/test';
import { createAmqpPublisher } from '@tocsin/client';
import { test } from './fixtures.js';
import { createRule, createWebhook, fire } from './records.js';
import { type BrowserStack, maxOpenPerWebhook } from './stack.js';
import { expectAccessible, signIn, signOut } from './steps.js';

test('a user cancels a running redelivery, one waiting delivery and all waiting deliveries', async ({
  page,
  stack,
}) => {
  const { api } = stack;
  const { rule, webhookId } = await createCalled(stack, { name: 'Long work', path: '/status/404' });
  await Promise.all([fire(stack, rule), fire(stack, rule)]);
  await expect(async () => {
    expect(await api.deliveries.list({ webhook_id: webhookId, status: 'failed' }).toArray()).toHaveLength(2);
  }).toPass();
  // A redelivery job waits while a webhook has more than half of the open deliveries that it may have. The webhook is
  // paused, so that its deliveries stay open.
  await api.webhooks.update(webhookId, { paused_until: new Date(Date.now() + 3_600_000).toISOString() });
  const waiting = maxOpenPerWebhook / 2 + 2;
  await Promise.all(Array.from({ length: waiting }, () => fire(stack, rule)));
  await expect(async () => {
    const found = await api.deliveries.list({ webhook_id: webhookId, status: 'waiting' }).toArray();
    expect(found).toHaveLength(waiting);
  }).toPass();

  await signIn(page, stack);
  const list = `${stack.api_url}/w/${stack.workspace_id}/deliveries?webhook_id=${webhookId}`;
  await page.goto(`${list}&status=failed`);
  await page.getByRole('button', { name: 'Redeliver the failed deliveries that match' }).click();
  await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
  await expect(page.getByText('Redelivering: 0 of 2')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(page.getByText('Stopped after 0 of 2')).toBeVisible();
  expect((await api.redeliveries.list({ limit: 1 }).toArray())[0]?.status).toBe('cancelled');

  await page.goto(`${list}&status=waiting`);
  await page.getByRole('row').nth(1).getByRole('link').click();
  await expect(page.getByText('Its webhook is paused: a person paused it.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try after the pause' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel the delivery' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the delivery' }).click();
  await expect(page.getByText('Skipped')).toBeVisible();
  await page.goto(`${list}&status=waiting`);
  await page.getByRole('button', { name: 'Cancel the open deliveries that match' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel them' }).click();
  await expect(page.getByText(`Cancelled ${waiting - 1} of ${waiting - 1}`)).toBeVisible();
  await expect(page.getByText('No delivery matches')).toBeVisible();
});

test('a job with more matches than the API counts shows neither a total nor a share', async ({
  page,
  stack,
}) => {
  const started = new Date().toISOString();
  const job = { id: randomUUID(), status: 'running', matched: 100_000, done: 2_500, created_at: started };
  await page.route('**/redeliveries?*', (route) => route.fulfill({ json: [job] }));
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries`);
  await expect(page.getByText('Redelivering: 2,500 of 100,000+')).toBeVisible();
  const bar = page.getByRole('progressbar');
  await expect(bar).not.toHaveAttribute('value');
  await expectAccessible(page);
  job.matched = 99_999;
  await expect(page.getByText('Redelivering: 2,500 of 99,999')).toBeVisible();
  await expect(bar).toHaveAttribute('value', '2500');
});

test('the button that redelivers a delivery keeps the focus while the delivery is in progress', async ({
  page,
  stack,
}) => {
  const { api, inbox_url } = stack;
  const { rule, webhookId } = await createCalled(stack, { name: 'Focused', path: '/status/404' });
  await fire(stack, rule);
  const failed = api.deliveries.list({ webhook_id: webhookId, status: 'failed' });
  await expect(async () => expect(await failed.toArray()).toHaveLength(1)).toPass();
  const [delivery] = await failed.toArray();
  await api.webhooks.update(webhookId, { url: `${inbox_url}/slow/4000ms` });
  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries/${delivery?.id}`);
  await page.getByRole('button', { name: 'Redeliver' }).press('Enter');
  await expect(page.getByText('This delivery is in progress.')).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByText('It arrived.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Redeliver' })).toBeFocused();
});

test('the button for a bulk redelivery is shown only if a matching delivery has failed', async ({
  page,
  stack,
}) => {
  const { api, inbox_url } = stack;
  const { rule, webhookId } = await createCalled(stack, { name: 'Offered', path: '/offered' });
  const list = api.deliveries.list({ webhook_id: webhookId });
  const allEnded = (count: number) =>
    expect(async () => {
      const ended = (await list.toArray()).filter(({ status }) => ['succeeded', 'failed'].includes(status));
      expect(ended).toHaveLength(count);
    }).toPass();
  await fire(stack, rule);
  await allEnded(1);

  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries?webhook_id=${webhookId}`);
  const offer = page.getByRole('button', { name: 'Redeliver the failed deliveries that match' });
  await expect(page.getByRole('row').filter({ hasText: 'Succeeded' })).toHaveCount(1);
  await page.waitForLoadState('networkidle');
  await expect(offer).toHaveCount(0);
  await api.webhooks.update(webhookId, { url: `${inbox_url}/status/404` });
  await fire(stack, rule);
  await expect(offer).toBeVisible();

  // 30 newer deliveries are created, so that the failed delivery is not among the newest 30, which the page loads.
  await api.webhooks.update(webhookId, { url: `${inbox_url}/offered` });
  await Promise.all(Array.from({ length: 30 }, () => fire(stack, rule)));
  await allEnded(32);
  await page.reload();
  await expect(page.getByRole('row').nth(1)).toContainText('Succeeded');
  await expect(offer).toBeVisible();
});

test('a poll of an empty list reads only entries of the last few minutes', async ({ page, stack }) => {
  await signIn(page, stack);
  const poll = page.waitForRequest((request) => {
    const { searchParams } = new URL(request.url());
    return searchParams.get('status_code') === '599' && searchParams.has('since');
  });
  const openedAtMs = Date.now();
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/deliveries?status_code=599`);
  await expect(page.getByText('No delivery matches')).toBeVisible();
  const since = new URL((await poll).url()).searchParams.get('since');
  // A poll reads entries since ten minutes before the previous poll, rounded down to a whole minute. The page sent its
  // first request after `openedAtMs`.
  expect(openedAtMs - Date.parse(since!)).toBeLessThan(11 * 60_000);
});

test('alerts without deliveries are dispatched by hand, one at a time and all together', async ({
  page,
  stack,
}) => {
  const { api } = stack;
  const { rule, webhookId } = await createCalled(stack, { name: 'By hand', path: '/by-hand' });
  await api.alertRules.update(rule, { notification_webhook_ids: [] });
  await Promise.all([fire(stack, rule), fire(stack, rule), fire(stack, rule)]);
  await expect(async () => {
    const found = await api.alerts.list({ alert_rule_id: rule, outcome: 'no_webhooks' }).toArray();
    expect(found).toHaveLength(3);
  }).toPass();

  await signIn(page, stack);
  const workspace = `${stack.api_url}/w/${stack.workspace_id}`;
  await page.goto(`${workspace}/alerts?outcome=no_webhooks&alert_rule_id=${rule}`);
  await expect(page.getByRole('row')).toHaveCount(4);
  await page.getByRole('row').nth(3).getByRole('link').first().click();
  await page.getByRole('button', { name: 'Dispatch now' }).click();
  await page.getByRole('button', { name: 'Dispatch', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('webhook');
  await api.alertRules.update(rule, { notification_webhook_ids: [webhookId] });
  await page.getByRole('button', { name: 'Dispatch now' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Dispatch', exact: true }).click();
  await expect(page.getByRole('row').filter({ hasText: 'By hand' })).toContainText('Succeeded');
  await expect(page.getByText('Dispatched by hand')).toBeVisible();

  await page.goBack();
  await expect(page.getByRole('row')).toHaveCount(3);
  await page.getByRole('button', { name: 'Dispatch the alerts that match' }).click();
  await page.getByRole('button', { name: 'Dispatch', exact: true }).click();
  await expect(page.getByText('Dispatched 2 of 2')).toBeVisible();
  await expect(page.getByText('No alert matches')).toBeVisible();
});

test('a dead letter shows its reason, and only a deployment admin can requeue it', async ({
  page,
  stack,
}) => {
  const publisher = await createAmqpPublisher({ url: stack.amqp_url, workspaceId: stack.workspace_id });
  await publisher.publish({
    alert_rule_id: randomUUID(),
    model_id: randomUUID(),
    model_name: 'churn',
    metric_value: 0.5,
  });
  await publisher.close();

  await signIn(page, stack, 'responder');
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/settings`);
  const letter = page.getByRole('group').filter({ hasText: 'The alert rule is unknown' }).first();
  await letter.getByText('The alert rule is unknown').click();
  await expect(letter.getByText('Requeueing is not available to you.')).toBeVisible();
  await signOut(page);

  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/settings`);
  await letter.getByText('The alert rule is unknown').click();
  await expectAccessible(page);
  await letter.getByRole('button', { name: 'Requeue' }).click();
  await expect(page.getByText(/requeued (just now|\d+ seconds ago)/)).toBeVisible();
  await page.getByLabel('Dead letters of').selectOption('deployment');
  await expect(page).toHaveURL(/dead_letters=all/);
  await expect(page.getByText('The alert rule is unknown')).toHaveCount(2);
});

test('alerts with a label are found with the link on the page of an alert and with the filter', async ({
  page,
  stack,
}) => {
  const { rule } = await createCalled(stack, { name: 'Labelled', path: '/labelled' });
  const team = `risk-${randomUUID().slice(0, 8)}`;
  const [labelled] = await Promise.all([fire(stack, rule, { labels: { team } }), fire(stack, rule)]);
  await expect(async () => {
    expect(await stack.api.alerts.list({ alert_rule_id: rule }).toArray()).toHaveLength(2);
  }).toPass();

  await signIn(page, stack);
  await page.goto(`${stack.api_url}/w/${stack.workspace_id}/alerts/${labelled}`);
  await page.getByRole('link', { name: `team:${team}` }).click();
  await expect(page.getByRole('button', { name: `Remove the filter label team:${team}` })).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const field = page.getByLabel('Label of the alert');
  await field.fill('team');
  await field.press('Tab');
  await expect(page.getByText('This text is not used as a filter.')).toBeVisible();
  await expectAccessible(page);
  await expect(page).toHaveURL(new RegExp(team));
  await field.fill('team:nobody');
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('No alert matches')).toBeVisible();
});

async function createCalled(
  stack: BrowserStack,
  webhook: { name: string; path: string },
): Promise<{ rule: string; webhookId: string }> {
  const webhookId = await createWebhook(stack, webhook);
  const { id: rule } = await createRule(stack, webhookId, { name: webhook.name });
  return { rule, webhookId };
}
