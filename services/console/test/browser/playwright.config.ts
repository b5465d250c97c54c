import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';

const output = fileURLToPath(new URL('../../dist/test-results', import.meta.url));

/**
 * Journeys through the console in Chromium. Each run has a stack of its own on free ports (`fixtures.ts`); one worker
 * serves all tests, because the tests share it.
 */
export default defineConfig({
  outputDir: output,
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  // The whole run, the start of the stack included.
  globalTimeout: 10 * 60_000,
  reporter: 'list',
  // TRACE=1 records what `playwright show-trace` shows.
  use: { trace: process.env.TRACE === undefined ? 'off' : 'on', locale: 'en-GB', timezoneId: 'UTC' },
  projects: [
    { name: 'journeys', testMatch: '*.spec.ts' },
    { name: 'screenshots', testMatch: 'screenshots.ts' },
  ],
});
