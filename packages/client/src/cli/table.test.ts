import { layOutTable } from './table.js';
import { widthOf } from './text.js';

const columns = [
  { title: 'ID', whole: true, value: (row: string[]) => row[0] ?? '' },
  { title: 'NAME', value: (row: string[]) => row[1] ?? '' },
  { title: 'URL', value: (row: string[]) => row[2] ?? '' },
];
const plain = (text: string) => text;
const id = '0'.repeat(36);

test('a column is as wide as its widest cell, and lines have no trailing blanks', () => {
  const rows = [
    ['1', '漢', 'x'],
    ['22', 'abc', ''],
  ];
  expect(layOutTable(rows, { columns, terminalWidth: undefined, paint: plain })).toEqual([
    'ID  NAME  URL',
    '1   漢    x',
    '22  abc',
  ]);
});

test('a table can have 200,000 rows', () => {
  const rows = Array.from({ length: 200_000 }, () => ['1']);
  expect(layOutTable(rows, { columns, terminalWidth: undefined, paint: plain })).toHaveLength(200_001);
});

test.each([60, 80, 120])('no line of a table is wider than a terminal of %d cells', (terminalWidth) => {
  const rows = [[id, 'n'.repeat(300), `http://${'漢'.repeat(200)}`]];
  for (const line of layOutTable(rows, { columns, terminalWidth, paint: plain })) {
    expect(widthOf(line)).toBeLessThanOrEqual(terminalWidth);
  }
});

test('a table column with the option `whole` is never truncated', () => {
  const rows = [[id, 'n'.repeat(300), 'u'.repeat(300)]];
  expect(layOutTable(rows, { columns, terminalWidth: 100, paint: plain })[1]).toContain(id);
});

test('on a very narrow terminal, a table has lines that are too wide, but no empty cells', () => {
  expect(
    layOutTable([[id, 'name', 'http://example.com']], { columns, terminalWidth: 1, paint: plain })[1],
  ).toBe(`${id}  name  http…`);
});

test('escape sequences for colours do not count towards the width of a cell', () => {
  const painted = [{ title: 'S', value: () => 'ok', color: () => 'green' as const }, ...columns];
  const paint = (cell: string, color: string) => `<${color}>${cell}</${color}>`;
  expect(layOutTable([['1', '2', '3']], { columns: painted, terminalWidth: undefined, paint })).toEqual([
    '<bold>S   ID  NAME  URL</bold>',
    '<green>ok</green>  1   2     3',
  ]);
});
