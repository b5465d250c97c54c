import { execFileSync } from 'node:child_process';

const maxSubjectLength = 72;

/**
 * Returns an error message for an invalid commit subject, or undefined. The format is `area: change`, with the area in
 * lower case.
 */
export function subjectProblem(subject: string): string | undefined {
  if (subject.length > maxSubjectLength)
    return `has ${subject.length} characters, more than ${maxSubjectLength}`;
  if (!/^[a-z][a-z0-9 ,./-]*: \S/.test(subject)) return 'is not of the form `area: change`';
  return undefined;
}

/**
 * Returns the subjects of the commits after `since`, newest first and without merges. Returns undefined outside a git
 * repository, and in a clone or on a branch that does not contain `since`.
 */
export function subjectsSince(since: string, directory: string): string[] | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    git('merge-base', '--is-ancestor', since, 'HEAD');
    return git('log', '--no-merges', '--format=%s', `${since}..HEAD`).split('\n').filter(Boolean);
  } catch {
    return undefined;
  }
}
