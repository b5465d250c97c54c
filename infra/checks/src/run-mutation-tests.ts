import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { parse } from 'yaml';
import {
  type AcceptedSurvivors,
  checkMutants,
  type MutationReport,
  percentOf,
} from './mutation/check-mutants.js';
import { type MutatedModule, mutatedModules, sourcesOf, testFilesOf } from './mutation/mutated-modules.js';

const usage = `npm run test:mutation -- [options]
  --only NAME,…     only these modules: ${mutatedModules.map(({ name }) => name).join(', ')}
  --concurrency N   processes that run unit tests at a time (default: one for each core)
  --force           run all mutants, also those whose files and tests have not changed since the last run`;

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const reports = 'reports/mutation';
const bundleTests = fileURLToPath(new URL('./mutation/bundle-tests.js', import.meta.url));
const acceptedFile = 'infra/checks/accepted-survivors.yml';

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    only: { type: 'string' },
    concurrency: { type: 'string' },
    force: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(usage);
else process.exitCode = (await runMutationTests()) ? 0 : 1;

/**
 * Returns true if enough mutants are killed, every surviving mutant is accepted, and every entry of the accepted
 * survivors matches a surviving mutant.
 */
async function runMutationTests(): Promise<boolean> {
  process.chdir(repository);
  const files: MutationReport['files'] = {};
  for (const module of chooseModules()) {
    console.log(`Module ${module.name}`);
    await new Stryker(optionsFor(module)).runMutationTest();
    Object.assign(files, JSON.parse(readFileSync(reportOf(module, 'json'), 'utf8')).files);
  }
  const accepted: AcceptedSurvivors[] = parse(readFileSync(acceptedFile, 'utf8'));
  const { scores, all, problems } = checkMutants({ files }, accepted);
  for (const score of [...scores, { file: 'all files', ...all }])
    console.log(
      `${String(percentOf(score)).padStart(5)} %  ${score.killed} of ${score.total}  ${score.file}`,
    );
  for (const problem of problems) console.log(problem);
  console.log(`Reports: ${reports}/*.html. Accepted survivors, with reasons: ${acceptedFile}.`);
  return problems.length === 0;
}

function chooseModules(): MutatedModule[] {
  if (values.only === undefined) return mutatedModules;
  return values.only.split(',').map((name) => {
    const found = mutatedModules.find((module) => module.name === name);
    if (found === undefined) throw new Error(`No module is called "${name}".`);
    return found;
  });
}

function reportOf({ name }: MutatedModule, extension: 'html' | 'json' | 'incremental.json'): string {
  return `${reports}/${name}.${extension}`;
}

/**
 * Returns options with which Stryker mutates a copy of the package or service, and runs the unit tests next to the
 * mutated files. These tests start no servers. Two preprocessors of Stryker are disabled, because they need the
 * compiler API that TypeScript 7 does not have.
 */
function optionsFor(module: MutatedModule): ConstructorParameters<typeof Stryker>[0] {
  const { workspace } = module;
  return {
    mutate: sourcesOf(module),
    // Only one package or service is copied. It imports the original sources of other packages through node_modules.
    ignorePatterns: ['**', '!package.json', '!jest.config.ts', `!${workspace}/**`],
    buildCommand: `node ${bundleTests} ${testFilesOf(module).join(' ')}`,
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
    jest: {
      configFile: 'jest.config.ts',
      config: {
        roots: [`<rootDir>/${workspace}`],
        testMatch: testFilesOf(module).map((path) => `<rootDir>/${path}`),
        // Without this option Jest prints the source around each error, which takes as long as the tests.
        noStackTrace: true,
        // The bundles of the tests are already compiled.
        transform: {},
        globalSetup: null,
        globalTeardown: null,
      },
      // Finding the related tests of a mutant would take longer than running all tests.
      enableFindRelatedTests: false,
    },
    coverageAnalysis: 'perTest',
    // The time limit of a run with a mutation, in milliseconds, is this value plus 1.5 times the duration of the tests
    // without a mutation. The slowest unit tests wait for less than a second.
    timeoutMS: 2_500,
    disableTypeChecks: false,
    tsconfigFile: 'none',
    incremental: true,
    incrementalFile: reportOf(module, 'incremental.json'),
    force: values.force,
    reporters: ['progress-append-only', 'html', 'json'],
    htmlReporter: { fileName: reportOf(module, 'html') },
    jsonReporter: { fileName: reportOf(module, 'json') },
    ...(values.concurrency !== undefined && { concurrency: Number(values.concurrency) }),
  };
}
