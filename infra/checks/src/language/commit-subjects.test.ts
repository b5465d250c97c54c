import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { subjectProblem, subjectsSince } from './commit-subjects.js';

test.each(['worker: release expired leases in batches', 'docs, kit: name each limit', 'ci: run on Node 24'])(
  'the commit subject %j is accepted',
  (subject) => {
    expect(subjectProblem(subject)).toBeUndefined();
  },
);

test.each(['Worker: release leases', 'release leases', 'worker:release', `worker: ${'x'.repeat(65)}`])(
  'the commit subject %j is rejected',
  (subject) => {
    expect(subjectProblem(subject)).toBeDefined();
  },
);

describe('subjectsSince', () => {
  let directory: string;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();
  const commit = (subject: string) => {
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', subject);
    return git('rev-parse', 'HEAD');
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tocsin-subjects-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test('the subjects of the commits after the given one are returned, newest first', () => {
    git('init', '--quiet');
    const first = commit('old');
    commit('a: one');
    commit('b: two');
    expect(subjectsSince(first, directory)).toEqual(['b: two', 'a: one']);
  });

  test('the subjects are undefined in a clone that does not contain the given commit', () => {
    git('init', '--quiet');
    commit('a: one');
    expect(subjectsSince('d17cd6e', directory)).toBeUndefined();
  });

  test('the subjects are undefined in a folder without git', () => {
    expect(subjectsSince('d17cd6e', directory)).toBeUndefined();
  });
});
