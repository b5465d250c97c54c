import { decodeBody } from './decode-body.js';

const whole = { contentType: undefined, isCut: false, maxBytes: 65_536 };

test('a body is decoded as UTF-8 unless its content type names another charset', () => {
  expect(decodeBody(Buffer.from('grün ✓ 😀'), whole).text).toBe('grün ✓ 😀');
  const latin1 = Buffer.from('grün', 'latin1');
  expect(decodeBody(latin1, { ...whole, contentType: 'text/plain; charset=ISO-8859-1' }).text).toBe('grün');
  expect(decodeBody(latin1, { ...whole, contentType: 'text/plain;charset="latin1"' }).text).toBe('grün');
});

test.each(['text/plain; charset=no-such', 'text/plain; charset=', ';charset=__proto__', ''])(
  'a body whose content type "%s" names no known charset is decoded as UTF-8',
  (contentType) => {
    expect(decodeBody(Buffer.from('grün'), { ...whole, contentType }).text).toBe('grün');
  },
);

test('invalid bytes and NUL in a body become U+FFFD', () => {
  expect(decodeBody(Buffer.from([0x61, 0xff, 0x00, 0x62]), whole).text).toBe('a\ufffd\ufffdb');
});

test('lone surrogates in a UTF-16 body become U+FFFD', () => {
  const { text } = decodeBody(Buffer.from([0x00, 0xd8, 0x61, 0x00]), {
    ...whole,
    contentType: 'text/plain; charset=utf-16le',
  });
  expect(text).toBe('\ufffda');
});

test('an incomplete character at the end of a cut body is removed', () => {
  const cut = Buffer.from('ab😀').subarray(0, 4);
  expect(decodeBody(cut, { ...whole, isCut: true }).text).toBe('ab');
});

test('a decoded text above the limit is shortened and marked as shortened', () => {
  const result = decodeBody(Buffer.alloc(100, 0xff), { ...whole, maxBytes: 100 });
  expect(result).toEqual({ text: '\ufffd'.repeat(33), isShortened: true });
  expect(decodeBody(Buffer.alloc(100, 'a'), { ...whole, maxBytes: 100 })).toEqual({
    text: 'a'.repeat(100),
    isShortened: false,
  });
});
