import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { subjectProblem, subjectsSince } from './language/commit-subjects.js';
import { createWordCheck, type WordList } from './language/private-words.js';
import { findSentenceProblems } from './language/sentences.js';

/**
 * `npm run check:language -- [path ...]`: fails for private words (infra/checks/private-words.yml), for sentences that
 * do not start with a subject, for long test titles, and for malformed commit subjects. Without a path it checks the
 * whole repository.
 */
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const listFile = 'infra/checks/private-words.yml';
/** First commit whose subject must follow the rules. The subjects of older commits are not checked. */
const firstChecked = 'd17cd6e';

const notRead = /^package-lock\.json$|(^|\/)results\/|\.(png|svg|ico|woff2?|pem|gz|pdf)$/;
const aboutTheList = new RegExp(`^(${listFile}|infra/checks/src/language/.*)$`);

const check = createWordCheck(parse(readFileSync(join(repository, listFile), 'utf8')) as WordList);
const folders = process.argv.slice(2);
const paths = listFiles()
  .filter((path) => folders.length === 0 || folders.some((folder) => path.startsWith(folder)))
  .filter((path) => !notRead.test(path) && !aboutTheList.test(path));
const texts = paths.map((path) => ({ path, text: readFileSync(join(repository, path), 'utf8') }));
const words = texts.flatMap(({ path, text }) => check(path, text));
for (const { path, line, found, instead } of words) {
  console.log(`${path}${line > 0 ? `:${line}` : ''}: "${found}" is a private word; write: ${instead}`);
}
const sentences = texts.flatMap(({ path, text }) => findSentenceProblems(path, text));
for (const { path, line, problem } of sentences) console.log(`${path}:${line}: ${problem}`);

const subjects = subjectsSince(firstChecked, repository);
if (subjects === undefined) console.log(`Commit subjects: not checked, no history since ${firstChecked}.`);
const badSubjects = (subjects ?? []).flatMap((subject) => {
  const problem = subjectProblem(subject);
  return problem === undefined ? [] : [`The commit subject "${subject}" ${problem}.`];
});
for (const line of badSubjects) console.log(line);

console.log(`Language: ${paths.length} files and ${subjects?.length ?? 0} commits checked.`);
if (words.length + sentences.length + badSubjects.length > 0) {
  console.log(
    `${words.length} private words (see ${listFile}), ${sentences.length} sentences, ${badSubjects.length} subjects.`,
  );
  process.exitCode = 1;
}

/**
 * Returns the tracked files and new files that git does not ignore. Without git, returns all files except installed and
 * built ones.
 */
function listFiles(): string[] {
  try {
    const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
    const deleted = new Set(git('ls-files', '--deleted'));
    // Symbolic links are skipped, because git also lists the files that they point to.
    return git(...args).filter((path) => !deleted.has(path) && lstatSync(join(repository, path)).isFile());
  } catch {
    const ignored = /(^|\/)(node_modules|dist|\.git|\.tocsin|coverage)(\/|$)/;
    return readdirSync(repository, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(repository.length))
      .filter((path) => !ignored.test(path));
  }
}

function git(...args: string[]): string[] {
  const output = execFileSync('git', args, {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return output.split('\n').filter(Boolean);
}
