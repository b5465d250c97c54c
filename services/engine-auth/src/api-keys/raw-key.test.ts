import { formatRawKey, parseRawKey } from './raw-key.js';

const key = { id: '6f1c2a9e-0b57-4a7e-9c0e-0d1f2a3b4c5d', secret: `${'Abc-_'.repeat(8)}xyz` };

test('an API key is base64 of id, colon and secret, and can be parsed', () => {
  const raw = formatRawKey(key);
  expect(Buffer.from(raw, 'base64').toString()).toBe(`${key.id}:${key.secret}`);
  expect(parseRawKey(raw)).toEqual(key);
});

test.each<[string, string]>([
  ['an empty text', ''],
  ['other text', 'not a key'],
  ['a JWT', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln'],
  ['a key without padding', formatRawKey(key).replace(/=+$/, '')],
  ['a key with one more character', `${formatRawKey(key)}A`],
  ['a key with an id in upper case', formatRawKey({ ...key, id: key.id.toUpperCase() })],
  ['a key whose id is not a UUID', formatRawKey({ ...key, id: `${key.id.slice(0, -1)}g` })],
  [
    'a key with a long id and a short secret',
    formatRawKey({ id: `${key.id}0`, secret: key.secret.slice(1) }),
  ],
  ['a key with a NUL in the secret', formatRawKey({ ...key, secret: `\0${key.secret.slice(1)}` })],
  ['text before a key', Buffer.from(`${'x'.repeat(36)}:${key.id}:${key.secret}`).toString('base64')],
  ['a key with a longer secret', formatRawKey({ ...key, secret: `${key.secret}\n` })],
  ['a very long text', 'QUFB'.repeat(5_000)],
])('%s is not accepted as an API key', (_, text) => {
  expect(parseRawKey(text)).toBeUndefined();
});

test('only the canonical base64 form of an API key is valid', () => {
  const raw = formatRawKey(key);
  // Base64 decoders ignore some bits of the last character before the padding. A character that differs only in these
  // bits therefore gives the same decoded key.
  const index = raw.indexOf('=') - 1;
  const other = `${raw.slice(0, index)}${String.fromCharCode(raw.charCodeAt(index) + 1)}${raw.slice(index + 1)}`;
  expect(Buffer.from(other, 'base64')).toEqual(Buffer.from(raw, 'base64'));
  expect(parseRawKey(other)).toBeUndefined();
});
