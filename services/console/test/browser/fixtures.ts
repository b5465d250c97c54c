import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, type ConsoleMessage, expect, type Page } from '@playwright/test';
import { ensureChromiumInstalled } from '@tocsin/local';
import { type BrowserStack, startBrowserStack } from './stack.js';

interface WorkerFixtures {
  stack: BrowserStack;
}

interface TestFixtures {
  /**
   * Page of the browser. The test fails at its end if a script error, a console error or a violation of the
   * Content-Security-Policy occurred on this page.
   */
  page: Page;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  launchOptions: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
    async ({}, use) => {
      const executablePath = ensureChromiumInstalled(join(tmpdir(), 'tocsin-chromium.log'), report);
      await use({ executablePath });
    },
    // If Chromium is missing, it is installed, which takes about a minute.
    { scope: 'worker', timeout: 300_000 },
  ],
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
    async ({}, use) => {
      const stack = await startBrowserStack();
      await use(stack);
      await stack.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  page: async ({ page }, use) => {
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !isExpected(message)) problems.push(message.text());
    });
    await use(page);
    expect(problems).toEqual([]);
  },
});

function report(message: string): void {
  process.stdout.write(`${message}\n`);
}

/**
 * Returns true for messages that do not fail the test. Chromium logs every response with status 400 or higher as an
 * error, but the pages handle these responses.
 */
function isExpected(message: ConsoleMessage): boolean {
  return message.text().startsWith('Failed to load resource:');
}
