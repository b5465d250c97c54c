import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';

const output = fileURLToPath(new URL('../../dist/test-results', import.meta.url));

/**
 * Browser tests of the console in Chromium. Each run starts its own stack on free ports (`fixtures.ts`). All tests
 * share that stack, so they run in one worker.
 */
export default defineConfig({
  outputDir: output,
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  // Time limit of all tests together, including the start of the stack, in milliseconds.
  globalTimeout: 10 * 60_000,
  reporter: 'list',
  // TRACE=1 records a trace for `playwright show-trace`.
  use: { trace: process.env.TRACE === undefined ? 'off' : 'on', locale: 'en-GB', timezoneId: 'UTC' },
  projects: [
    { name: 'journeys', testMatch: '*.spec.ts' },
    { name: 'screenshots', testMatch: 'screenshots.ts' },
  ],
});
