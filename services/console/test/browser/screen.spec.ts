import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { expectAccessible, openPage, signIn } from './steps.js';

const pages = {
  overview: 'the numbers of your deliveries',
  deliveries: 'the deliveries',
  alerts: 'the alerts',
  webhooks: 'the webhooks',
  'alert-rules': 'the alert rules',
  audit: 'the changes',
  settings: 'the settings',
};

test('at 400 px width, the main pages fit, and a button opens the navigation', async ({ page, stack }) => {
  test.setTimeout(120_000);
  await signIn(page, stack);
  await page.setViewportSize({ width: 400, height: 800 });
  const workspace = `${stack.api_url}/w/${stack.workspace_id}`;
  for (const path of [...Object.keys(pages), 'webhooks/new', 'alert-rules/new', 'nothing']) {
    await page.goto(`${workspace}/${path}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.waitForLoadState('networkidle');
    const widths = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return { scrollWidth, clientWidth };
    });
    expect(widths.scrollWidth, path).toBeLessThanOrEqual(widths.clientWidth);
    await expectAccessible(page);
  }
  await page.getByRole('button', { name: 'Menu' }).click();
  await expectAccessible(page);
  await openPage(page, 'Overview');
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeHidden();
});

test('a page says what it is loading while the API responds slowly', async ({ page, stack }) => {
  test.setTimeout(120_000);
  await signIn(page, stack);
  const workspace = `${stack.api_url}/w/${stack.workspace_id}`;
  await page.route('**/api/v1/**', async (route) => {
    await delay(1_000);
    await route.continue().catch(() => undefined);
  });
  for (const [path, what] of Object.entries(pages)) {
    await page.goto(`${workspace}/${path}`);
    await expect(page.getByText('Loading your permissions …').first()).toBeVisible();
    await expect(page.getByText(`Loading ${what} …`)).toBeVisible();
  }
  await page.unroute('**/api/v1/**');
});

test('the previous page shows a loading message until the script of the next page has arrived', async ({
  page,
  stack,
}) => {
  await signIn(page, stack);
  await page.route('**/*.js', async (route) => {
    await delay(1_500);
    await route.continue().catch(() => undefined);
  });
  await openPage(page, 'Settings');
  await expect(page.getByText('Loading the page …')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await expect(page.getByText('Loading the page …')).toBeHidden();
});
