import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { seed } from './seed.js';
import { signIn, signOut } from './steps.js';

/**
 * Output folder. `npm run screenshots -w services/console` writes screenshots of every page, in both themes and at
 * widths of 1,280 and 400 px.
 */
const output = fileURLToPath(new URL('../../dist/screenshots', import.meta.url));
const widths = [1280, 400];
const tallestPx = 3_000;
const themes = ['light', 'dark'] as const;

test('a screenshot of every page is taken in both themes and widths', async ({ page, stack }) => {
  test.setTimeout(300_000);
  const workspace = `/w/${stack.workspace_id}`;
  await photograph('sign-in', '/');
  await signIn(page, stack);
  await photograph('overview-empty', `${workspace}/overview?range=1h`);
  await seed(stack);
  await expect(async () => {
    const failed = await stack.api.deliveries.list({ status: 'failed' }).toArray();
    expect(failed.length).toBeGreaterThan(0);
  }).toPass();
  const [failed] = await stack.api.deliveries.list({ status: 'failed', limit: 1 }).toArray();
  const [waiting] = await stack.api.deliveries.list({ status: 'waiting', limit: 1 }).toArray();
  const [webhook] = await stack.api.webhooks.list({ name: 'Issue tracker' }).toArray();
  const [signed] = await stack.api.webhooks.list({ name: 'On-call chat' }).toArray();
  const rules = await stack.api.alertRules.list().toArray();
  const rule = rules.find(({ name }) => name === 'Accuracy too low');
  const silenced = rules.find(({ name }) => name === 'Feature drift');
  const firstAlert = async (outcome: 'dispatched' | 'no_webhooks', alert_rule_id?: string) =>
    (await stack.api.alerts.list({ outcome, alert_rule_id }).toArray())[0];
  const sent = await firstAlert('dispatched', rule?.id);
  const notSent = await firstAlert('no_webhooks');
  const pages: [string, string | undefined][] = [
    ['overview', 'overview?range=1h'],
    ['deliveries', 'deliveries'],
    ['deliveries-filtered', 'deliveries?status=failed&status_code=404'],
    ['delivery-failed', failed && `deliveries/${failed.id}`],
    ['delivery-waiting', waiting && `deliveries/${waiting.id}`],
    ['alerts', 'alerts'],
    ['alert', sent && `alerts/${sent.alert_id}`],
    ['alert-nothing-sent', notSent && `alerts/${notSent.alert_id}`],
    ['webhooks', 'webhooks'],
    ['webhook', webhook && `webhooks/${webhook.id}`],
    ['webhook-signed', signed && `webhooks/${signed.id}`],
    ['webhook-new', 'webhooks/new'],
    ['webhook-edit', webhook && `webhooks/${webhook.id}/edit`],
    ['alert-rules', 'alert-rules'],
    ['alert-rule', rule && `alert-rules/${rule.id}`],
    ['alert-rule-silenced', silenced && `alert-rules/${silenced.id}`],
    ['alert-rule-new', 'alert-rules/new'],
    ['alerts-to-dispatch', 'alerts?outcome=no_webhooks'],
    ['deliveries-waiting', 'deliveries?status=waiting'],
    ['audit', 'audit'],
    ['settings', 'settings'],
    ['not-found', 'nothing'],
  ];
  for (const [name, path] of pages) if (path !== undefined) await photograph(name, `${workspace}/${path}`);

  const pagesByUser = {
    publisher: ['overview', 'webhooks', 'alerts', 'settings'],
    reader: ['deliveries', `webhooks/${webhook?.id}`, `alert-rules/${rule?.id}`],
    outsider: ['overview'],
  };
  for (const [user, paths] of Object.entries(pagesByUser)) {
    await signOut(page);
    await signIn(page, stack, user);
    for (const path of paths) await photograph(`${user}-${path.replace(/\/.*/, '')}`, `${workspace}/${path}`);
  }

  await signOut(page);
  await signIn(page, stack);
  await page.goto(`${stack.api_url}${workspace}/webhooks/new`);
  await page.getByRole('button', { name: 'Use Slack message', exact: true }).click();
  await shoot('editor');

  async function photograph(name: string, path: string): Promise<void> {
    await page.goto(`${stack.api_url}${path}`);
    await shoot(name);
  }

  async function shoot(name: string): Promise<void> {
    await page.waitForLoadState('networkidle');
    await expect(page.getByText(/^Loading /)).toHaveCount(0);
    for (const width of widths) {
      // The window gets the height of the page (at most 3,000 px), because table rows and editors outside of the window
      // are not rendered.
      await page.setViewportSize({ width, height: 800 });
      const height = await stableHeight();
      await page.setViewportSize({ width, height: Math.min(height, tallestPx) });
      for (const theme of themes) {
        await page.evaluate((value) => {
          document.documentElement.dataset.theme = value;
        }, theme);
        await page.screenshot({ path: `${output}/${name}-${width}-${theme}.png` });
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }

  /** Waits until the page keeps its height for 250 ms, and returns the height in pixels. */
  async function stableHeight(): Promise<number> {
    let height = 0;
    await expect(async () => {
      const before = height;
      height = await page.evaluate(() => document.documentElement.scrollHeight);
      expect(height).toBe(before);
    }).toPass({ intervals: [250] });
    return height;
  }
});
