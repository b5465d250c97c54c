import { findLockfileProblems } from './lockfile.js';

const integrity = 'sha512-x';

test('a lock file with a hash for every package is accepted', () => {
  const packages = {
    '': {},
    'packages/kit': { version: '0.1.0' },
    'node_modules/@tocsin/kit': { link: true },
    'node_modules/a': { version: '1.0.0', integrity, optionalDependencies: { 'a-linux': '1.0.0' } },
    'node_modules/a/node_modules/a-linux': { version: '1.0.0', integrity },
  };
  expect(findLockfileProblems({ packages })).toEqual([]);
});

test('a lock file without the hash of a package, or without an optional package, is reported', () => {
  const packages = {
    'node_modules/a': { version: '1.0.0', optionalDependencies: { 'a-darwin': '1.0.0' } },
  };
  expect(findLockfileProblems({ packages })).toEqual([
    'node_modules/a has no integrity.',
    'a-darwin, an optional dependency of node_modules/a, has no entry.',
  ]);
});
