/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import config from '../../jest.config.ts';

/** `npm run test:deployment`: tests of a running deployment, which start nothing themselves. */
const { globalSetup: _setup, globalTeardown: _teardown, ...rest } = config;
const deploymentConfig: Config = {
  ...rest,
  rootDir: '../..',
  roots: ['<rootDir>/infra/checks/deployment'],
  testMatch: ['**/*.test.ts'],
  // The test of restored records comes last.
  maxWorkers: 1,
};

export default deploymentConfig;
