/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import config from '../../jest.config.ts';

/** Configuration of `npm run test:deployment`: tests of a deployment that is already running. */
const { globalSetup: _setup, globalTeardown: _teardown, ...rest } = config;
const deploymentConfig: Config = {
  ...rest,
  rootDir: '../..',
  roots: ['<rootDir>/infra/checks/deployment'],
  testMatch: ['**/*.test.ts'],
  // All test files use the same deployment, so Jest runs them in sequence in one process. CI starts Jest separately for
  // each file, because CI restores the database before restored.test.ts.
  maxWorkers: 1,
};

export default deploymentConfig;
