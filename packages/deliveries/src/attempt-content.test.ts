import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { type AttemptContent, decodeAttempt, encodeAttempt } from './attempt-content.js';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', minLength: 3_000 }));
const header = fc.option(text, { nil: undefined });
const anyContent = fc.record({ requestBody: text, responseBody: text, location: header, retryAfter: header });

const stored = (content: AttemptContent) => Buffer.from(encodeAttempt(content) as string);

test('decoding the encoded content of an attempt returns the same content, even if it is long', () => {
  fc.assert(fc.property(anyContent, (content) => expect(decodeAttempt(stored(content))).toEqual(content)));
  const breaks = { requestBody: '\n\n', responseBody: '"\n', location: '\n', retryAfter: '' };
  expect(decodeAttempt(stored(breaks))).toEqual(breaks);
});

test('a lone surrogate in a stored request becomes U+FFFD, and the response stays unchanged', () => {
  for (const filler of ['', 'x'.repeat(5_000)]) {
    const content = { requestBody: `a\ud800${filler}`, responseBody: 'b' };
    const decoded = decodeAttempt(stored(content));
    expect(decoded).toMatchObject({ requestBody: `a\ufffd${filler}`, responseBody: 'b' });
  }
});

test('a short content of an attempt is stored uncompressed, and a long one is compressed', () => {
  const content = { requestBody: '{"a":1}', responseBody: 'ok' };
  expect(encodeAttempt(content)).toBe('[7,null,null]\n{"a":1}ok');
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
  const encoded = encodeAttempt({ requestBody, responseBody: '' });
  expect(typeof encoded === 'string' ? false : encoded[0] === 1).toBe(isCompressed);
  expect(decodeAttempt(Buffer.from(encoded as string)).requestBody).toBe(requestBody);
});

test('a long text is stored uncompressed if compression does not shorten it', () => {
  const content = { requestBody: randomBytes(3_000).toString('latin1'), responseBody: '' };
  expect(encodeAttempt(content)).toBe(`[3000,null,null]\n${content.requestBody}`);
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
    'a text that grows beyond every content',
    Buffer.concat([Buffer.of(1), deflateRawSync(Buffer.alloc(3 * 1_048_576, '['))]),
    'larger than 1800000 bytes',
  ],
])('the decoding of %s fails', (_, value, message) => {
  expect(() => decodeAttempt(value)).toThrow(message);
});
