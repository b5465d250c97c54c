import { readBearerToken } from './token-verifier.js';

test('a token of 24,576 characters is read and a longer one is refused', () => {
  const longest = 'x'.repeat(24_576);
  expect(readBearerToken(`Bearer ${longest}`)).toBe(longest);
  expect(() => readBearerToken(`Bearer ${longest}x`)).toThrow('The access token is malformed.');
});

test('a token may have padding, and spaces around it are no part of it', () => {
  expect(readBearerToken('bearer  a.b-c_d~e+f/g==  ')).toBe('a.b-c_d~e+f/g==');
});

test.each(['xBearer a', 'Bearer a=b', 'Bearer\ta', 'Bearer a\n', 'Bearer é'])(
  'the header %j is malformed',
  (authorization) => {
    expect(() => readBearerToken(authorization)).toThrow('The access token is malformed.');
  },
);
