import { isSecretHeader, rowProblems, toHeaders, toRows, withEmptyRow } from './header-rows.js';

const headers = { 'Content-Type': ['application/json'], 'X-Team': ['risk', 'fraud'] };

test('headers are converted to one row for each value, and back without loss', () => {
  expect(toRows(headers)).toEqual([
    { name: 'Content-Type', value: 'application/json', key: 0 },
    { name: 'X-Team', value: 'risk', key: 1 },
    { name: 'X-Team', value: 'fraud', key: 2 },
  ]);
  expect(toHeaders(toRows(headers))).toEqual(headers);
});

test('toHeaders leaves out empty rows, and removes spaces around header names', () => {
  const rows = withEmptyRow([{ name: ' Accept ', value: ' text/plain', key: 4 }]);
  expect(rows.at(-1)).toEqual({ name: '', value: '', key: 5 });
  expect(toHeaders(rows)).toEqual({ Accept: [' text/plain'] });
});

test('a header named __proto__ is kept as a header', () => {
  expect(Object.keys(toHeaders([{ name: '__proto__', value: 'x', key: 0 }]))).toEqual(['__proto__']);
});

test('a header value without a name, and a name in two rows with different case, are errors', () => {
  const rows = [
    { name: 'Accept', value: 'a', key: 0 },
    { name: 'accept', value: 'b', key: 1 },
    { name: '', value: 'c', key: 2 },
    { name: '', value: '', key: 3 },
  ];
  expect([...rowProblems(rows)]).toEqual([
    [1, 'Write this name as above: Accept.'],
    [2, 'This value needs the name of a header.'],
  ]);
});

test('the values of all headers except Content-Type and Accept are masked', () => {
  expect(['content-type', 'Accept', ''].map(isSecretHeader)).toEqual([false, false, false]);
  expect(['Authorization', 'X-Api-Key'].map(isSecretHeader)).toEqual([true, true]);
});
