import fc from 'fast-check';
import { decodeExchange, encodeExchange } from './exchange.js';

const text = fc.string({ unit: 'binary' });
const header = fc.option(text, { nil: undefined });
const exchange = fc.record({ requestBody: text, responseBody: text, location: header, retryAfter: header });

test('decoding an encoded exchange returns the same texts, even with line breaks', () => {
  fc.assert(
    fc.property(exchange, (texts) => {
      const stored = Buffer.from(encodeExchange(texts)).toString();
      expect(decodeExchange(stored)).toEqual(texts);
    }),
  );
  const breaks = { requestBody: '\n\n', responseBody: '"\n', location: '\n', retryAfter: '' };
  expect(decodeExchange(encodeExchange(breaks))).toEqual(breaks);
});

test('a lone surrogate in the request becomes U+FFFD and does not change the response', () => {
  const stored = Buffer.from(encodeExchange({ requestBody: 'a\ud800', responseBody: 'b' })).toString();
  expect(decodeExchange(stored)).toMatchObject({ requestBody: 'a\ufffd', responseBody: 'b' });
});
