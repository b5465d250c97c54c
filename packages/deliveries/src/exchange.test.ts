import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { decodeExchange, type Exchange, encodeExchange } from './exchange.js';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', minLength: 3_000 }));
const header = fc.option(text, { nil: undefined });
const exchange = fc.record({ requestBody: text, responseBody: text, location: header, retryAfter: header });

const stored = (texts: Exchange) => Buffer.from(encodeExchange(texts) as string);

test('decoding the encoded texts of an attempt returns the same texts, even if they are long', () => {
  fc.assert(fc.property(exchange, (texts) => expect(decodeExchange(stored(texts))).toEqual(texts)));
  const breaks = { requestBody: '\n\n', responseBody: '"\n', location: '\n', retryAfter: '' };
  expect(decodeExchange(stored(breaks))).toEqual(breaks);
});

test('a lone surrogate in a stored request becomes U+FFFD, and the response stays unchanged', () => {
  for (const filler of ['', 'x'.repeat(5_000)]) {
    const texts = { requestBody: `a\ud800${filler}`, responseBody: 'b' };
    const decoded = decodeExchange(stored(texts));
    expect(decoded).toMatchObject({ requestBody: `a\ufffd${filler}`, responseBody: 'b' });
  }
});

test('a short text of an attempt is stored uncompressed, and a long one is compressed', () => {
  const texts = { requestBody: '{"a":1}', responseBody: 'ok' };
  expect(encodeExchange(texts)).toBe('[7,null,null]\n{"a":1}ok');
  const long = {
    requestBody: JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id }))),
    responseBody: '',
  };
  expect(stored(long).length).toBeLessThan(long.requestBody.length / 2);
});

test.each([
  [2_047, false],
  [2_048, true],
  [600_000, true],
  [600_001, false],
])('a text of %i UTF-16 units is compressed: %s', (length, isCompressed) => {
  const firstLine = (bodyLength: number) => `[${bodyLength},null,null]\n`.length;
  const requestBody = 'x'.repeat(length - firstLine(length));
  const encoded = encodeExchange({ requestBody, responseBody: '' });
  expect(typeof encoded === 'string' ? false : encoded[0] === 1).toBe(isCompressed);
  expect(decodeExchange(Buffer.from(encoded as string)).requestBody).toBe(requestBody);
});

test('a long text is stored uncompressed if compression does not shorten it', () => {
  const texts = { requestBody: randomBytes(3_000).toString('latin1'), responseBody: '' };
  expect(encodeExchange(texts)).toBe(`[3000,null,null]\n${texts.requestBody}`);
});

test.each([
  ['an empty value', Buffer.alloc(0), 'unknown format'],
  ['an unknown format', Buffer.from([2, 1, 2, 3]), 'unknown format 2'],
  ['a text without its first line', Buffer.from('{"a":1}'), 'unknown format 123'],
  [
    'a cut compressed text',
    stored({ requestBody: '{}'.repeat(5_000), responseBody: '' }).subarray(0, -4),
    'end of file',
  ],
  ['garbage that claims to be compressed', Buffer.from([1, 255, 255, 255]), 'invalid'],
  [
    'a text that grows beyond every exchange',
    Buffer.concat([Buffer.of(1), deflateRawSync(Buffer.alloc(3 * 1_048_576, '['))]),
    'larger than 1800000 bytes',
  ],
])('the decoding of %s fails', (_, value, message) => {
  expect(() => decodeExchange(value)).toThrow(message);
});
