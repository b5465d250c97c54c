import { expect } from '@playwright/test';
import { test } from './fixtures.js';
import { expectAccessible, signIn, signOut } from './steps.js';

test('a token is renewed without a page load, and is not stored in the storage of the browser', async ({
  page,
  stack,
}) => {
  test.setTimeout(120_000);
  await signIn(page, stack);
  let navigations = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) navigations += 1;
  });
  const renewal = await page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/token'),
    { timeout: 90_000 },
  );
  expect(renewal.postData()).toContain('grant_type=refresh_token');
  expect((await renewal.response())?.status()).toBe(200);
  expect(navigations).toBe(0);
  const stored = await page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }));
  expect(stored).toEqual(['tocsin.workspace']);
});

test('a user without a session returns to the requested address after signing in', async ({
  page,
  stack,
}) => {
  const address = `${stack.api_url}/w/${stack.workspace_id}/alerts?outcome=no_webhooks`;
  await page.goto(address);
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('User name').fill('reader');
  await page.getByLabel('Password').fill(stack.users.reader!);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  expect(page.url()).toBe(address);

  await signOut(page);
  await page.goto(address);
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
});

test('the identity provider accepts the address of the development server as redirect target', async ({
  page,
  stack,
}) => {
  const { default: config } = await import('../../vite.config.js');
  const { host, port } = (config as { server: { host: string; port: number } }).server;
  const address = new URL(`${stack.auth_url}/realms/${stack.realm}/protocol/openid-connect/auth`);
  address.search = new URLSearchParams({
    client_id: stack.console_client_id,
    redirect_uri: `http://${host}:${port}/console/callback`,
    response_type: 'code',
    scope: 'openid profile',
    code_challenge: 'A'.repeat(43),
    code_challenge_method: 'S256',
  }).toString();
  await page.goto(address.href);
  await expect(page.getByLabel('User name')).toBeVisible();
});
