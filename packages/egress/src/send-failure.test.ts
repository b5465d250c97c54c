import { bodyNoteOf, connectFailureOf, exchangeFailureOf } from './send-failure.js';

const failing = (code: string) => Object.assign(new Error('secret'), { code });

test.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENETUNREACH', 'EHOSTUNREACH', 'EACCES'])(
  '%s is a fault of the address that was dialled, not ours',
  (code) => {
    expect(connectFailureOf(failing(code))).toMatchObject({
      code: 'connection_refused',
      message: expect.stringContaining(code),
    });
  },
);

test.each(['EMFILE', 'ENOBUFS', 'ERR_ASSERTION', 'constructor', ''])(
  'what %j says is a fault of ours',
  (code) => {
    expect(connectFailureOf(failing(code))).toMatchObject({ code: 'internal_error' });
    expect(exchangeFailureOf(failing(code))).toMatchObject({ code: 'internal_error' });
  },
);

test('trailers that are too large broke the body, the end of the connection cut it', () => {
  expect(bodyNoteOf(failing('UND_ERR_HEADERS_OVERFLOW'))).toBe('broken');
  expect(bodyNoteOf(failing('ECONNRESET'))).toBe('cut');
});
