import { ResponseReader } from './response-reader.js';

function startReader(maxBytes = 65_536): ResponseReader {
  const reader = new ResponseReader({ maxBytes, onWriting() {}, onProgress() {} });
  reader.onConnect(() => {});
  reader.onHeaders(200, []);
  return reader;
}

test('a body that arrives in one-byte chunks does not keep the receive buffers in memory', async () => {
  const reader = startReader();
  const received = Buffer.alloc(65_536, 'x');
  for (let at = 0; at < 1000; at += 1) reader.onData(received.subarray(at, at + 1));
  received.fill('!');
  reader.onComplete([]);
  const { body } = await reader.response;
  expect(body.toString()).toBe('x'.repeat(1000));
  expect(body.buffer.byteLength).toBeLessThanOrEqual(2048);
});

test.each([1, 7, 99, 100, 101])('body chunks of %d bytes are joined up to the size limit', async (size) => {
  const text = 'abcdefghij'.repeat(30);
  const reader = startReader(100);
  for (let at = 0; at < text.length; at += size) reader.onData(Buffer.from(text.slice(at, at + size)));
  reader.onComplete([]);
  const { body, isTooLong } = await reader.response;
  expect([body.toString(), isTooLong]).toEqual([text.slice(0, 100), true]);
});

test('a response keeps the first value of each header and ignores the case of header names', async () => {
  const reader = new ResponseReader({ maxBytes: 10, onWriting() {}, onProgress() {} });
  reader.onConnect(() => {});
  const lines = [
    ['Content-Typ', 'a/wrong'],
    ['CONTENT-type', 'a/first'],
    ['Content-Type', 'a/second'],
    ['content-encoding', 'gzip'],
    ['Content-Encoding', 'br'],
    ['retry-after', 'é'],
    ['Retry-After', '2'],
    ['LOCATION', '/é'],
    ['location', '/2'],
  ];
  reader.onHeaders(
    503,
    lines.flat().map((text) => Buffer.from(text)),
  );
  reader.onComplete(null);
  expect(await reader.response).toMatchObject({
    statusCode: 503,
    contentType: 'a/first',
    contentEncoding: 'gzip',
    retryAfter: Buffer.from('é').toString('latin1'),
    location: '/é',
    isComplete: true,
    isReusable: true,
  });
});
