import type { RawResponse } from './response-reader.js';
import { toResponse } from './to-result.js';

function noteOf(contentEncoding: string | undefined, body = 'x') {
  const response: RawResponse = {
    statusCode: 200,
    contentType: undefined,
    contentEncoding,
    retryAfter: undefined,
    body: Buffer.from(body),
    isTooLong: false,
    bodyNote: undefined,
    isComplete: true,
    isReusable: true,
  };
  return toResponse(response, { maxResponseBytes: 65_536, startedAt: performance.now() });
}

test.each([undefined, '', ' ', 'identity', '\tIDENTITY '])('a body encoded as %j is plain', (encoding) => {
  expect(noteOf(encoding)).toMatchObject({ bodyNote: undefined });
});

test.each(['gzip', 'identity, gzip', 'identityx', '\xa0gzip', '-'])(
  'a body encoded as %j is noted',
  (encoding) => {
    expect(noteOf(encoding)).toMatchObject({ bodyNote: 'encoded' });
    expect(noteOf(encoding, '')).toMatchObject({ bodyNote: undefined });
  },
);

test('a header of nothing but spaces and a letter does not hold up the event loop', () => {
  const before = performance.now();
  // Half a minute where the work grows with the square of the length.
  expect(noteOf(`${'\xa0'.repeat(200_000)}x`)).toMatchObject({ bodyNote: 'encoded' });
  expect(performance.now() - before).toBeLessThan(5000);
});
