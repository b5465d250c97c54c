import { existsSync } from 'node:fs';
import { type AcceptedSurvivors, checkMutants, type Mutant, percentOf } from './check-mutants.js';
import { mutatedModules, sourcesOf, testFilesOf } from './mutated-modules.js';

const source = 'const a = 1;\nconst b = 2 < 3;\n';

/** Returns a mutant at the position of the given text in `source`. */
function mutant(text: string, status: string): Mutant {
  const before = source.slice(0, source.indexOf(text)).split('\n');
  const start = { line: before.length, column: before.at(-1)!.length + 1 };
  const end = { line: start.line, column: start.column + text.length };
  return { mutatorName: 'M', replacement: 'changed', status, location: { start, end } };
}

const check = (mutants: Mutant[], accepted: AcceptedSurvivors[] = []) =>
  checkMutants({ files: { 'a.ts': { source, mutants } } }, accepted);
const many = (count: number, status: string) => Array.from({ length: count }, () => mutant('1', status));
const entry = (code: string) => ({ file: 'a.ts', code, reason: 'It behaves alike.' });

test('a timed-out mutant counts as killed, and a mutant with a runtime error is not counted', () => {
  const { scores, all, problems } = check([
    ...many(8, 'Killed'),
    mutant('1', 'Timeout'),
    mutant('1', 'RuntimeError'),
  ]);
  expect([scores, all, problems]).toEqual([
    [{ file: 'a.ts', killed: 9, total: 9 }],
    { killed: 9, total: 9 },
    [],
  ]);
});

test('a surviving mutant that is not accepted is reported with its position', () => {
  for (const status of ['Survived', 'NoCoverage'])
    expect(check([...many(9, 'Killed'), mutant('2 < 3', status)]).problems).toEqual([
      'a.ts:2:11 M survives: 2 < 3 → changed',
    ]);
});

test('an accepted surviving mutant is not reported, but the score counts it as not killed', () => {
  const survivor = mutant('<', 'Survived');
  const accepted = check([...many(9, 'Killed'), survivor], [entry('2 < 3')]);
  expect([accepted.problems, accepted.all]).toEqual([[], { killed: 9, total: 10 }]);
  expect(check([...many(9, 'Killed'), survivor], [entry('2 ')]).problems).toHaveLength(2);
  expect(
    check([...many(9, 'Killed'), survivor], [{ ...entry('2 < 3'), file: 'b.ts' }]).problems,
  ).toHaveLength(1);
});

test('an entry of the accepted survivors without a surviving mutant is reported', () => {
  expect(check(many(9, 'Killed'), [entry('const b')]).problems).toEqual([
    'a.ts: no mutant of "const b" survives; remove it from the accepted ones',
  ]);
});

test('a mutation score of at least 90 % in total and 80 % in each file is required', () => {
  const files = (killed: number, survived: number) => ({
    'a.ts': { source, mutants: many(100, 'Killed') },
    'b.ts': { source, mutants: [...many(killed, 'Killed'), ...many(survived, 'Survived')] },
  });
  const accepted = [{ ...entry('1'), file: 'b.ts' }];
  const problemsOf = (killed: number, survived: number) =>
    checkMutants({ files: files(killed, survived) }, accepted).problems;
  expect(problemsOf(80, 20)).toEqual([]);
  expect(problemsOf(79, 21)).toEqual([
    'b.ts: 79 %, at least 80 % are required',
    'All files: 89.5 %, at least 90 % are required',
  ]);
});

test('the percentage of killed mutants is rounded down to one decimal place', () => {
  expect([percentOf({ killed: 899_999, total: 1_000_000 }), percentOf({ killed: 0, total: 0 })]).toEqual([
    89.9, 100,
  ]);
});

test.each(mutatedModules)(
  'all source files of the mutated module $name exist, and at least one has a test',
  (module) => {
    expect(sourcesOf(module).filter((path) => !existsSync(path))).toEqual([]);
    expect(testFilesOf(module)).not.toEqual([]);
  },
);

test('the tests of a source file x.ts are in x.test.ts and in files such as x-more.test.ts', () => {
  const folder = 'services/delivery-worker/src/slots';
  const slots = {
    name: 'slots',
    workspace: 'services/delivery-worker',
    files: ['slots/slots', 'slots/slots-wait'],
  };
  expect(testFilesOf(slots).sort()).toEqual([`${folder}/slots-wait.test.ts`, `${folder}/slots.test.ts`]);
});
