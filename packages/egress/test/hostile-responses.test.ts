import { startRawServer } from '@tocsin/testing';
import fc from 'fast-check';
import { createSender, parseCidrs } from '../src/index.js';

const fragment = fc.oneof(
  fc.constantFrom(
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.0 204 No\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Hints\r\n\r\n',
    'HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: upgrade\r\n',
    'Content-Length: 5\r\n',
    'Content-Length: -1\r\n',
    'Content-Length: 99999999999999999999\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Connection: close\r\n',
    'Keep-Alive: timeout=99999999999\r\n',
    'Retry-After: 1\r\n',
    '__proto__: a\r\n',
    ': nameless\r\n',
    'X:\r\n',
    ' folded\r\n',
    'Content-Length:\r\n',
    'Transfer-Encoding: identity\r\n',
    'Connection: Upgrade\r\nUpgrade: h2c\r\n',
    'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
    'RTSP/1.0 200 OK\r\n',
    '2;x="y"\r\nab\r\n',
    '0\r\nX-Trailer:\r\n\r\n',
    '\r\n',
    '\n',
    '5\r\nabcde\r\n',
    'fffffffffffffffff\r\n',
    '0\r\n\r\n',
    'hello',
    '\0',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

test('a send gets a response, connection_reset or invalid_response for random bytes', async () => {
  let fragments: string[] = [];
  const server = await startRawServer((socket) => {
    const writeNext = (index: number): void => {
      if (index >= fragments.length) socket.end();
      else socket.write(fragments[index] ?? '', 'latin1', () => setImmediate(writeNext, index + 1));
    };
    writeNext(0);
  });
  const sender = createSender({ allow: parseCidrs(['127.0.0.0/8']), totalTimeoutMs: 5000 });
  const expected = ['connection_reset', 'invalid_response'];
  await fc.assert(
    fc.asyncProperty(fc.array(fragment, { maxLength: 12 }), async (bytes) => {
      fragments = bytes;
      const result = await sender.send({ url: server.url, headers: {}, body: '{}' });
      if (result.kind === 'error') expect(expected).toContain(result.code);
      else expect(result.statusCode).toBeGreaterThanOrEqual(200);
    }),
    { numRuns: 200 },
  );
  await sender.close();
  await server.close();
});
