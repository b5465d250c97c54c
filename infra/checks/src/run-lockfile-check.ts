import { readFileSync } from 'node:fs';
import { findLockfileProblems, type Lockfile } from './lockfile.js';

/**
 * `npm run check:lockfile`: fails if an entry of package-lock.json has no integrity hash, or if the entry of an
 * optional package is missing.
 */
const file = new URL('../../../package-lock.json', import.meta.url);
const problems = findLockfileProblems(JSON.parse(readFileSync(file, 'utf8')) as Lockfile);
for (const problem of problems) console.log(`package-lock.json: ${problem}`);
if (problems.length > 0) {
  console.log('Choose versions that the registry serves for every platform.');
  process.exitCode = 1;
}
