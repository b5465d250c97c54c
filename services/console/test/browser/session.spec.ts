import { expect, type Page } from '@playwright/test';
import { test } from './fixtures.js';
import { expectAccessible, signIn, signOut } from './steps.js';

/** Returns the addresses that the page loads from now on. The array grows with each page load. */
function recordNavigations(page: Page): string[] {
  const addresses: string[] = [];
  page.on('request', (request) => {
    if (request.isNavigationRequest()) addresses.push(request.url());
  });
  return addresses;
}

test('a token is renewed without a page load, and is not stored in the storage of the browser', async ({
  page,
  stack,
}) => {
  test.setTimeout(120_000);
  await signIn(page, stack);
  const navigations = recordNavigations(page);
  const renewal = await page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/token'),
    { timeout: 90_000 },
  );
  expect(renewal.postData()).toContain('grant_type=refresh_token');
  expect((await renewal.response())?.status()).toBe(200);
  expect(navigations).toEqual([]);
  const stored = await page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }));
  expect(stored).toEqual(['tocsin.workspace']);
});

test('a failed renewal keeps the page, and a rejected one redirects the user once', async ({
  page,
  stack,
}) => {
  test.setTimeout(180_000);
  await signIn(page, stack);
  const address = `${stack.api_url}/w/${stack.workspace_id}/deliveries?status=failed`;
  await page.goto(address);
  await expect(page.getByRole('heading', { name: 'Deliveries', level: 1 })).toBeVisible();
  const navigations = recordNavigations(page);
  const problem = page.getByText('Your session could not be renewed');

  await test.step('while the provider is unreachable, the page stays and shows the error', async () => {
    await page.route('**/token', (route) => route.abort('connectionrefused'));
    await expect(problem).toBeVisible({ timeout: 90_000 });
    await page.unroute('**/token');
    await expect(problem).toBeHidden({ timeout: 20_000 });
    expect(navigations).toEqual([]);
  });

  await test.step('after the provider has rejected the renewal, the user returns to the address', async () => {
    const reject = { status: 400, json: { error: 'invalid_grant' } };
    await page.route('**/token', (route) => route.fulfill(reject), { times: 1 });
    await expect.poll(() => navigations.length, { timeout: 90_000 }).toBeGreaterThan(0);
    await expect(page.getByRole('heading', { name: 'Deliveries', level: 1 })).toBeVisible();
    expect(page.url()).toBe(address);
    expect(navigations.filter((url) => url.includes('prompt=none'))).toHaveLength(1);
  });
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
