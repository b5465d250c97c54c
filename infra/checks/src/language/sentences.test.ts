import { findSentenceProblems } from './sentences.js';

const find = (path: string, text: string) => findSentenceProblems(path, text).map(({ line }) => line);

test.each([
  '/** What came from the queue. */',
  '// Whether it is open.',
  ' * It waits. Of these one runs.',
  'f(); // As is.',
])('a sentence of a comment that does not start with its subject is reported: %j', (text) => {
  expect(find('src/a.ts', text)).toEqual([1]);
});

test.each(['/** Messages wait, whatever they hold. */', "const text = 'What is it? Who is it?';", ' * Of\n'])(
  'sentences with a subject first, string literals and single words are accepted: %j',
  (text) => {
    expect(find('src/a.ts', text)).toEqual([]);
  },
);

test('prose in Markdown is checked, but headings and tables are not', () => {
  expect(
    find('a.md', '# What it is\n\n| Of all |\n\nIt runs. What fails is retried.\n- Whether it works.'),
  ).toEqual([5, 6]);
});

test('a test title must have at most 90 characters and start with its subject', () => {
  expect(find('a.test.ts', `test('${'x'.repeat(90)}', () => {});`)).toEqual([]);
  expect(find('a.test.ts', `test('${'x'.repeat(91)}', () => {});`)).toEqual([1]);
  expect(find('a.test.ts', "  it('what is sent is kept', () => {});")).toEqual([1]);
  expect(find('a.test.ts', 'describe("what is sent", () => {});')).toEqual([1]);
  expect(find('a.test.ts', "])('of %s nothing is sent', () => {});")).toEqual([1]);
  expect(find('a.test.ts', `test.each(cases)(\n  '${'x'.repeat(91)}',\n  () => {},\n);`)).toEqual([2]);
  expect(find('a.test.ts', `const texts = [\n  '${'x'.repeat(91)}',\n];`)).toEqual([]);
});
