import { bodyNoteOf, connectFailureOf, exchangeFailureOf } from './send-failure.js';

const failing = (code: string) => Object.assign(new Error('secret'), { code });

test.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENETUNREACH', 'EHOSTUNREACH', 'EACCES'])(
  'the error %s counts as a failure of the destination',
  (code) => {
    expect(connectFailureOf(failing(code))).toMatchObject({
      code: 'connection_refused',
      message: expect.stringContaining(code),
    });
  },
);

test.each(['EMFILE', 'ENOBUFS', 'ERR_ASSERTION', 'constructor', ''])(
  'the error code %j counts as an internal error',
  (code) => {
    expect(connectFailureOf(failing(code))).toMatchObject({ code: 'internal_error' });
    expect(exchangeFailureOf(failing(code))).toMatchObject({ code: 'internal_error' });
  },
);

test.each(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET'])(
  'the error %s on a connection is a connection reset by the destination',
  (code) => {
    expect(exchangeFailureOf(failing(code))).toMatchObject({ code: 'connection_reset' });
  },
);

test('a timeout of the system is a connect timeout while connecting, and a timeout after that', () => {
  expect(connectFailureOf(failing('ETIMEDOUT'))).toMatchObject({ code: 'connect_timeout' });
  expect(exchangeFailureOf(failing('ETIMEDOUT'))).toMatchObject({ code: 'timeout' });
});

test('a body is broken after oversized trailers, and cut after a lost connection', () => {
  expect(bodyNoteOf(failing('UND_ERR_HEADERS_OVERFLOW'))).toBe('broken');
  expect(bodyNoteOf(failing('ECONNRESET'))).toBe('cut');
});
