import { expect, type Page } from '@playwright/test';
import { test } from './fixtures.js';
import { signIn } from './steps.js';

test('all pages can be reached and filtered with the keyboard alone', async ({ page, stack }) => {
  await signIn(page, stack);
  await tabTo(page, 'Deliveries');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Deliveries', level: 1 })).toBeFocused();

  await tabTo(page, 'Filter');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Filter' })).toBeVisible();
  await tabTo(page, 'State');
  await page.keyboard.press('f');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page).toHaveURL(/status=failed/);
  await expect(page.getByRole('button', { name: 'Filter', exact: true })).toBeFocused();

  await tabTo(page, 'Remove the filter Failed');
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(/status=failed/);
});

test('the bars of the overview are one tab stop with arrow keys', async ({ page, stack }) => {
  await signIn(page, stack);
  const webhook = await stack.api.webhooks.create({
    name: 'Bars',
    url: `${stack.inbox_url}/bars`,
    body: '{}',
  });
  const model = { model_id: webhook.id, model_name: 'churn' };
  const rule = await stack.api.alertRules.create({
    name: 'Bars',
    model_id: webhook.id,
    threshold: 1,
    bound: 'upper_bound',
    notification_webhook_ids: [webhook.id],
  });
  await stack.api.alerts.fire({ ...model, alert_rule_id: rule.id, metric_value: 2 });
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

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement & { labels?: NodeListOf<HTMLLabelElement> };
      return element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText;
    });
    if (focused?.trim() === name) return;
  }
  throw new Error(`No tab stop is named ${name}.`);
}
