import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Locator, type Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import type { BrowserStack } from './stack.js';

/** Opens the console and signs in at the identity provider. */
export async function signIn(page: Page, stack: BrowserStack, user = 'admin'): Promise<void> {
  await page.goto(stack.api_url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('User name').fill(user);
  await page.getByLabel('Password').fill(stack.users[user]!);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
}

/** Ends the session in the console and at the identity provider. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
}

/** Opens a page through the navigation. */
export async function openPage(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Expects that axe finds no violation of accessibility rules on the page, in the light and in the dark theme. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(): Promise<AxeResults> } };
      return (await axe.run()).violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.map(({ html }) => html),
      }));
    });
    expect(violations, `${page.url()} in the ${theme} theme`).toEqual([]);
  }
}

/** Presses Tab until an element has the focus, as keyboard users do. */
export async function focusByTab(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeAttached();
  for (let presses = 0; presses < maxTabs; presses += 1) {
    if (await target.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target} is not reached with ${maxTabs} presses of Tab.`);
}

const maxTabs = 150;
