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
  // One worker runs the files in sequence, because the test of restored records must be last.
  maxWorkers: 1,
};

export default deploymentConfig;
