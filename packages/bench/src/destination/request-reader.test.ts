import { createRequestReader, type ReadRequest } from './request-reader.js';

function read(chunks: string[]): ReadRequest[] {
  const requests: ReadRequest[] = [];
  const readChunk = createRequestReader((request) => requests.push(request));
  for (const chunk of chunks) readChunk(Buffer.from(chunk));
  return requests;
}

const request = (webhook: number, body: string, name = 'Content-Length') =>
  `POST /hook/${webhook} HTTP/1.1\r\nhost: 127.0.0.1\r\nContent-Type: application/json\r\n${name}: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test.each(['Content-Length', 'content-length'])(
  'the length of the body is read from the header %s',
  (name) => {
    expect(read([request(2, '{"a":1}', name)])).toEqual([{ webhook: 2, body: '{"a":1}' }]);
  },
);

test('requests that the network splits at any position are read correctly', () => {
  const text = request(0, '{"n":1}') + request(9, '{"text":"content-length: 9"}') + request(19, '');
  const expected = read([text]);
  expect(expected.map(({ webhook }) => webhook)).toEqual([0, 9, 19]);
  expect(read([...text])).toEqual(expected);
  for (let at = 1; at < text.length; at += 1)
    expect(read([text.slice(0, at), text.slice(at)])).toEqual(expected);
});

test('reading a request without Content-Length throws an error', () => {
  expect(() => read(['POST /hook/0 HTTP/1.1\r\nContent-Type: text/plain\r\n\r\nhello'])).toThrow(
    'without Content-Length',
  );
});
