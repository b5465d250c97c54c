import { cutToWidth, printable, printableLines, widthOf } from './text.js';

const printed = {
  'plain ä 漢 🚨': 'plain ä 漢 🚨',
  '\u001b[31mred': '\\u001b[31mred',
  'a\r\nb\tc\0': 'a\\u000d\\u000ab\\u0009c\\u0000',
  '\u009b31m': '\\u009b31m',
  'abc\u202etxt.exe': 'abc\\u202etxt.exe',
  'line\u2028sep': 'line\\u2028sep',
};

test.each(Object.entries(printed))('the text %j is printed on one line as %j', (text, expected) => {
  expect(printable(text)).toBe(expected);
});

test('printableLines keeps line breaks and tabs', () => {
  expect(printableLines('a\tb\nc\u001b')).toBe('a\tb\nc\\u001b');
});

test.each(Object.entries({ '': 0, abc: 3, 漢字: 4, '🚨': 2, 'e\u0301': 1 }))(
  'the width of %j is %d cells',
  (text, cells) => {
    expect(widthOf(text)).toBe(cells);
  },
);

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, 'abcd…'],
  ['漢字漢字', 5, '漢字…'],
  ['漢字漢字', 4, '漢…'],
  ['🚨🚨', 1, '…'],
])('the text %j cut to %d cells is %j', (text, cells, expected) => {
  expect(cutToWidth(text, cells)).toBe(expected);
});
