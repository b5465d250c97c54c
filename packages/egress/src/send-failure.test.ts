import { errors } from 'undici';
import { bodyNoteOf, connectFailureOf, requestFailureOf, SendFailure, tlsFailureOf } from './send-failure.js';

const failing = (code: string) => Object.assign(new Error('secret'), { code });

test.each([
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EINVAL',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'EACCES',
  'EPERM',
])('the error %s counts as a failure of the destination', (code) => {
  expect(connectFailureOf(failing(code))).toMatchObject({
    code: 'connection_refused',
    message: expect.stringContaining(code),
  });
});

test.each(['EMFILE', 'ENOBUFS', 'ERR_ASSERTION', 'constructor', ''])(
  'the error code %j counts as an internal error',
  (code) => {
    expect(connectFailureOf(failing(code))).toMatchObject({ code: 'internal_error' });
    expect(requestFailureOf(failing(code))).toMatchObject({ code: 'internal_error' });
  },
);

test.each(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET'])(
  'the error %s on an open connection counts as connection_reset',
  (code) => {
    expect(requestFailureOf(failing(code))).toMatchObject({ code: 'connection_reset' });
  },
);

test('ETIMEDOUT counts as connect_timeout while connecting, and as timeout after that', () => {
  expect(connectFailureOf(failing('ETIMEDOUT'))).toMatchObject({ code: 'connect_timeout' });
  expect(requestFailureOf(failing('ETIMEDOUT'))).toMatchObject({ code: 'timeout' });
});

test('a body is marked as broken after oversized trailers, and as cut after a lost connection', () => {
  expect(bodyNoteOf(failing('UND_ERR_HEADERS_OVERFLOW'))).toBe('broken');
  expect(bodyNoteOf(failing('ECONNRESET'))).toBe('cut');
});

test('a refused connection is a failure of the destination', () => {
  expect(connectFailureOf(failing('ECONNREFUSED'))).toMatchObject({
    code: 'connection_refused',
    message: 'The destination refused the connection.',
  });
});

test.each([
  ['mismatched length', failing('UND_ERR_RES_CONTENT_LENGTH_MISMATCH')],
  ['oversized head', failing('UND_ERR_HEADERS_OVERFLOW')],
  ['malformed head', new errors.HTTPParserError('Invalid header token')],
  ['bad response', new Error('bad response')],
  ['bad upgrade', new Error('bad upgrade')],
])('a response with the error "%s" is invalid', (_, error) => {
  expect(requestFailureOf(error)).toMatchObject({ code: 'invalid_response' });
});

test.each(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'])(
  'the error %s on an open connection is a TLS failure',
  (code) => {
    const message = `TLS failed on the connection (${code}).`;
    expect(requestFailureOf(failing(code))).toMatchObject({ code: 'tls_failure', message });
  },
);

const unknownAuthority =
  ' The authority of the certificate is not known; an operator can add it with EGRESS_CA_FILE.';

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', unknownAuthority],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownAuthority],
  ['CERT_HAS_EXPIRED', ' The certificate of the destination has expired.'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', ' The certificate of the destination is for another host.'],
  ['CERT_REVOKED', ''],
])('the TLS error %s is reported with the remedy "%s"', (code, remedy) => {
  expect(tlsFailureOf(failing(code))).toMatchObject({
    code: 'tls_failure',
    message: `The TLS handshake failed (${code}).${remedy}`,
  });
});

test('a TLS failure says if the connection was closed, and names no code if there is none', () => {
  expect(tlsFailureOf(new Error('secret')).message).toBe('The TLS handshake failed.');
  expect(tlsFailureOf(failing('ECONNRESET')).message).toBe(
    'The destination closed the connection within the TLS handshake.',
  );
});

test.each([
  ['slow', new SendFailure('timeout', '')],
  ['overlong', new SendFailure('invalid_response', '')],
  ['cut', new SendFailure('internal_error', '')],
  ['broken', new errors.HTTPParserError('Invalid chunk')],
  ['cut', new errors.HTTPParserError('Invalid EOF state')],
])('the note of a response body is %s if its read fails with the error of case %#', (note, error) => {
  expect(bodyNoteOf(error)).toBe(note);
});
