import { checkHeaders } from './check-headers.js';

test('a header may have several values or none, and values may contain Latin-1 characters', () => {
  const headers = {
    'Content-Type': ['application/json'],
    Authorization: ['Basic eDp5'],
    'X-Many': ['a', 'b', ''],
    'X-None': [],
    "!#$%&'*+-.^_`|~": ['\t ~\x80\xff'],
  };
  expect(checkHeaders(headers)).toEqual([]);
  expect(checkHeaders({})).toEqual([]);
});

test.each([
  'Host',
  'content-length',
  'Transfer-Encoding',
  'CONNECTION',
  'Keep-Alive',
  'te',
  'Trailer',
  'Upgrade',
  'expect',
  'Proxy-Authorization',
  'proxy-anything',
])('the header %s is rejected, because the sender sets it or it controls the connection', (name) => {
  expect(checkHeaders({ [name]: ['x'] })).toEqual([
    { path: `/headers/${name}`, message: 'must not be set: it belongs to the connection' },
  ]);
});

test.each(['', ' ', 'a b', 'a:', 'a\r\nb', 'ä', 'a\u0000', 'a(b)', '"a"'])(
  '%j is rejected as a header name',
  (name) => {
    expect(checkHeaders({ [name]: ['x'] })).toEqual([
      { path: `/headers/${name}`, message: 'must be a header name' },
    ]);
  },
);

test('the path of a header problem is a JSON pointer with escaped characters', () => {
  expect(checkHeaders({ 'X-A': ['ok', 'a\r\nX-B: 1'], 'a/b~c': ['x'] })).toEqual([
    { path: '/headers/X-A/1', message: 'must not contain control or non-Latin-1 characters' },
    { path: '/headers/a~1b~0c', message: 'must be a header name' },
  ]);
});

test.each(['\n', '\r', '\0', '\x1f', '\x7f', '\u0100', '😀', '\ud800'])(
  'a header value that contains %j is rejected',
  (character) => {
    expect(checkHeaders({ 'X-A': [`a${character}b`] })).toHaveLength(1);
  },
);

test('header names that differ only in case are rejected', () => {
  expect(checkHeaders({ 'X-Key': ['1'], 'x-kEY': ['2'] })).toEqual([
    { path: '/headers/x-kEY', message: 'must not differ from another name in case only' },
  ]);
});

test('names of members of Object.prototype are allowed as header names', () => {
  const headers = JSON.parse('{"__proto__": ["a\\n"], "constructor": ["x"], "toString": ["y"]}');
  expect(checkHeaders(headers)).toEqual([
    { path: '/headers/__proto__/0', message: 'must not contain control or non-Latin-1 characters' },
  ]);
});

test('fifty header names are allowed and fifty-one are not', () => {
  const names = Array.from({ length: 51 }, (_, index) => [`X-${index}`, ['v']] as const);
  expect(
    checkHeaders(Object.fromEntries(names.slice(1).map(([name, values]) => [name, [...values]]))),
  ).toEqual([]);
  expect(checkHeaders(Object.fromEntries(names.map(([name, values]) => [name, [...values]])))).toEqual([
    { path: '/headers', message: 'must have at most 50 names' },
  ]);
});

test('8,192 bytes of header lines are allowed and one more byte is not', () => {
  const most = 'v'.repeat(8192 - 'X-A'.length - 4);
  expect(checkHeaders({ 'X-A': [most] })).toEqual([]);
  expect(checkHeaders({ 'X-A': [`${most}v`] })).toEqual([
    { path: '/headers', message: 'must be at most 8192 bytes in total' },
  ]);
});

test('the size of headers counts the name of a header once for each of its values', () => {
  const lines = (last: string) => ({ 'X-A': ['v'.repeat(4_000), 'v'.repeat(4_000)], B: [last] });
  const most = 'v'.repeat(8192 - 2 * (4_000 + 'X-A'.length + 4) - 'B'.length - 4);
  expect(checkHeaders(lines(most))).toEqual([]);
  expect(checkHeaders(lines(`${most}v`))).toMatchObject([{ path: '/headers' }]);
});

test('a million invalid header values are reported as fewer than 2,000 problems', () => {
  expect(checkHeaders({ 'X-A': new Array<string>(1_000_000).fill('\n') }).length).toBeLessThan(2000);
});
