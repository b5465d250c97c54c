import { ResponseReader } from './response-reader.js';

function startReader(maxBytes = 65_536): ResponseReader {
  const reader = new ResponseReader({ maxBytes, onWriting() {}, onProgress() {} });
  reader.onConnect(() => {});
  reader.onHeaders(200, []);
  return reader;
}

test('a body in chunks of one byte does not keep its receive buffers in memory', async () => {
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
