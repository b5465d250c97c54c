import { layOutTable } from './table.js';
import { widthOf } from './text.js';

const columns = [
  { title: 'ID', whole: true, value: (row: string[]) => row[0] ?? '' },
  { title: 'NAME', value: (row: string[]) => row[1] ?? '' },
  { title: 'URL', value: (row: string[]) => row[2] ?? '' },
];
const id = '0'.repeat(36);

test('columns are as wide as their widest cell, and lines have no blanks at their end', () => {
  const rows = [
    ['1', '漢', 'x'],
    ['22', 'abc', ''],
  ];
  expect(layOutTable(rows, { columns, terminalWidth: undefined })).toEqual([
    'ID  NAME  URL',
    '1   漢    x',
    '22  abc',
  ]);
});

test.each([60, 80, 120])('on a terminal of %d cells no line is longer', (terminalWidth) => {
  const rows = [[id, 'n'.repeat(300), `http://${'漢'.repeat(200)}`]];
  for (const line of layOutTable(rows, { columns, terminalWidth })) {
    expect(widthOf(line)).toBeLessThanOrEqual(terminalWidth);
  }
});

test('an id is never cut', () => {
  const rows = [[id, 'n'.repeat(300), 'u'.repeat(300)]];
  expect(layOutTable(rows, { columns, terminalWidth: 100 })[1]).toContain(id);
});

test('a terminal that is far too narrow gets lines that are too long rather than nothing', () => {
  expect(layOutTable([[id, 'name', 'http://example.com']], { columns, terminalWidth: 1 })[1]).toBe(
    `${id}  name  http…`,
  );
});

test('paint takes no room', () => {
  const painted = [{ title: 'S', value: () => 'ok', paint: (cell: string) => `<b>${cell}</b>` }, ...columns];
  expect(layOutTable([['1', '2', '3']], { columns: painted, terminalWidth: undefined })[1]).toBe(
    '<b>ok</b>  1   2     3',
  );
});
