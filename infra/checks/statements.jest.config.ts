/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';
import config from '../../jest.config.ts';

const [[pattern, [, options]]] = Object.entries(config.transform ?? {}) as [[string, [string, object]]];

/**
 * Configuration for tests of mutated statements. It does not start servers, because `run-statement-mutations.ts` starts
 * them once for all mutations.
 */
const { globalSetup: _setup, globalTeardown: _teardown, ...rest } = config;
const statementConfig: Config = {
  ...rest,
  rootDir: '../..',
  transform: { [pattern]: ['<rootDir>/infra/checks/dist/mutation/mutating-transformer.js', options] },
};

export default statementConfig;
