/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

/**
 * One configuration for all workspaces. Tests run from the TypeScript sources, which each package exports under the
 * condition `tocsin-source`. `npm test` first builds `dist/`, because the global setup and the process-level tests run
 * the compiled code.
 */
const config: Config = {
  roots: ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/infra'],
  testMatch: ['**/src/**/*.test.ts', '**/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/', '<rootDir>/.tocsin/'],
  globalSetup: '<rootDir>/infra/local/dist/test/global-setup.js',
  globalTeardown: '<rootDir>/infra/local/dist/test/global-teardown.js',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['tocsin-source', 'node', 'node-addons'] },
  testTimeout: 30_000,
  maxWorkers: 2,
};

export default config;
