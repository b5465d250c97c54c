import { existsSync, readFileSync } from 'node:fs';
import { statementMutations } from './statement-mutations.js';

const inRepository = (path: string) => new URL(`../../../../${path}`, import.meta.url);

test.each(statementMutations)(
  'the text that the mutation replaces occurs exactly once in the mutated file: $name',
  ({ file, piece }) => {
    expect(readFileSync(inRepository(file), 'utf8').split(piece).length - 1).toBe(1);
  },
);

test('each mutation has a unique name, changes the text, and names existing tests', () => {
  const names = statementMutations.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  for (const { name, piece, replacement, tests } of statementMutations) {
    expect([name, piece === replacement, tests.length > 0]).toEqual([name, false, true]);
    for (const test of tests) expect([test, existsSync(inRepository(test))]).toEqual([test, true]);
  }
});
