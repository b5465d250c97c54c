/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

/**
 * One configuration for every workspace. Tests run from the TypeScript sources: each package exports them under
 * the condition `tocsin-source`. `npm test` builds first, because the global set-up and the process-level tests
 * run what is shipped, `dist/`.
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
