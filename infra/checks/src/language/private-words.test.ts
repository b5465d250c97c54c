import { createWordCheck } from './private-words.js';

const check = createWordCheck({
  everywhere: { 'put(s|ting)? back': 'release', anew: 'again' },
  identifiers: { 'take up': 'claim' },
  allowed: [{ path: 'docs/history', word: 'anew', reason: 'Quotes an old text.' }],
});

const find = (text: string, path = 'src/a.ts') => check(path, text).map(({ line, found }) => [line, found]);

test.each(['const putBack = 1;', 'PUT_BACK', "'put-back'", '// It is put back.', 'isPutBackNow'])(
  'a private word is found in the spelling %j',
  (text) => {
    expect(find(text)).toEqual([[1, 'put back']]);
  },
);

test('a private word is found if a line break separates its two parts', () => {
  expect(find('/**\n * The row is put\n * back.\n */')).toEqual([[2, 'put back']]);
  expect(find('row that is put\nback', 'docs/a.md')).toEqual([[1, 'put back']]);
});

test('a private word is found in a file name', () => {
  expect(find('', 'src/put-back.ts')).toEqual([[0, 'put back']]);
});

test('a private word is not found inside a longer word', () => {
  expect(find('input background, renewed, canew')).toEqual([]);
});

test('a word that is forbidden only in identifiers is allowed in comments, strings and documents', () => {
  expect(find("takeUp('take up'); // take up\n/* take up */ `take up`")).toEqual([[1, 'take up']]);
  expect(find('It may take up to 10 s.', 'docs/a.md')).toEqual([]);
  expect(find('', 'src/take-up.ts')).toEqual([[0, 'take up']]);
});

test('an exception allows a private word only in the folder that the exception names', () => {
  expect(find('anew, put back', 'docs/history/a.md')).toEqual([[1, 'put back']]);
  expect(find('anew', 'docs/historybook.md')).toEqual([[1, 'anew']]);
});

test('the finding of a private word contains the standard word that replaces it', () => {
  expect(check('src/a.ts', 'putting back')).toEqual([
    { path: 'src/a.ts', line: 1, found: 'putting back', pattern: 'put(s|ting)? back', instead: 'release' },
  ]);
});
