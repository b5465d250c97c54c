import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { createTickThrottle } from '@tocsin/kit';
import { type RawServer, type Respond, serveRaw, until } from '@tocsin/testing';
import { createCancellation } from '../src/cancellation.js';
import { loadCertificateAuthorities } from '../src/certificate-authorities.js';
import { toDestination } from '../src/destination.js';
import { createSender, parseCidrs, type SenderOptions } from '../src/index.js';
import { openSocket } from '../src/open-socket.js';
import { createLoopback } from './support/loopback.js';

const fixture = (name: string) => `${import.meta.dirname}/fixtures/${name}`;
const loopback = {
  allow: parseCidrs(['127.0.0.0/8']),
  lookup: () => Promise.resolve(['127.0.0.1']),
};
const caFile = fixture('ca.pem');
const { closeAfterTest, startSender, startSocketServer } = createLoopback({ ...loopback, caFile });

const response: Respond = (socket) =>
  socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\nsecure');

async function startTlsServer(certificate = 'receiver.pem', options: TlsOptions = {}): Promise<TlsServer> {
  const serverNames: unknown[] = [];
  const server = createServer({
    key: readFileSync(fixture('receiver.key')),
    cert: readFileSync(fixture(certificate)),
    ALPNProtocols: ['h2', 'http/1.1'],
    ...options,
  });
  server.on('secureConnection', (socket) => serverNames.push(socket.servername));
  server.on('tlsClientError', () => {});
  const raw = await serveRaw(server, 'secureConnection', (socket, index) => started.respond(socket, index));
  const started = closeAfterTest({ ...raw, serverNames, respond: response });
  return started;
}

interface TlsServer extends RawServer {
  serverNames: unknown[];
  /** Function that responds to the next requests. Tests can replace it. */
  respond: Respond;
}

function startSending(options: Partial<SenderOptions> = {}) {
  const sender = startSender(options);
  return (url: string) => sender.send({ url, headers: {}, body: '{}' });
}

test('a certificate of a configured private authority is accepted for a name and an IP address', async () => {
  const server = await startTlsServer();
  const send = startSending();
  for (const host of ['receiver.test', 'receiver.test.', '127.0.0.1']) {
    const result = await send(`https://${host}:${server.port}/`);
    expect([host, result]).toMatchObject([host, { kind: 'response', statusCode: 200, body: 'secure' }]);
  }
  expect(server.serverNames).toEqual(['receiver.test', 'receiver.test', false]);
});

test('a certificate for another name is rejected, even if TLS sessions for its name are stored', async () => {
  const server = await startTlsServer();
  const send = startSending();
  const first = await send(`https://receiver.test:${server.port}/`);
  const second = await send(`https://receiver.test:${server.port}/`);
  expect([first, second]).toMatchObject([{ statusCode: 200 }, { statusCode: 200 }]);
  expect(await send(`https://other.test:${server.port}/`)).toMatchObject({ code: 'tls_failure' });
});

test('only the first two TLS sessions of a connection are stored', async () => {
  const server = await startTlsServer();
  const kept: Buffer[] = [];
  const { socket } = await openSocket(
    toDestination(new URL(`https://receiver.test:${server.port}/`)),
    {
      ...loopback,
      secureContext: loadCertificateAuthorities(caFile),
      connectTimeoutMs: 5000,
      timeouts: createTickThrottle(4),
      sessions: { get: () => undefined, set: (_origin, session) => kept.push(session) },
    },
    createCancellation(),
  );
  closeAfterTest({ close: async () => void socket.destroy() });
  socket.resume().on('session', () => {});
  await until('both tickets are kept', () => kept.length === 2);
  // Node's own TLS server always sends two tickets, so further tickets are simulated.
  for (let count = 0; count < 1000; count += 1) socket.emit('session', Buffer.from('one more'));
  expect(kept).toHaveLength(2);
});

test('a send fails as tls_failure if the certificate authority is unknown, and sends nothing', async () => {
  const server = await startTlsServer();
  const sender = closeAfterTest(createSender(loopback));
  const url = `https://receiver.test:${server.port}/`;
  expect(await sender.send({ url, headers: {}, body: '{}' })).toMatchObject({
    kind: 'error',
    code: 'tls_failure',
    error: expect.stringContaining('EGRESS_CA_FILE'),
  });
  expect(server.requests).toEqual([]);
});

test('a send fails as tls_failure if the certificate is expired or for another name', async () => {
  const server = await startTlsServer();
  const send = startSending();
  expect(await send(`https://other.test:${server.port}/`)).toMatchObject({
    code: 'tls_failure',
    error:
      'The TLS handshake failed (ERR_TLS_CERT_ALTNAME_INVALID). The certificate of the destination is for another host.',
  });
  const expired = await startTlsServer('receiver-expired.pem');
  expect(await send(`https://receiver.test:${expired.port}/`)).toMatchObject({
    code: 'tls_failure',
    error: 'The TLS handshake failed (CERT_HAS_EXPIRED). The certificate of the destination has expired.',
  });
});

test('a send fails as tls_failure with a remedy if the certificate is self-signed', async () => {
  const server = await startTlsServer('receiver-self-signed.pem');
  expect(await startSending()(`https://receiver.test:${server.port}/`)).toMatchObject({
    code: 'tls_failure',
    error:
      'The TLS handshake failed (DEPTH_ZERO_SELF_SIGNED_CERT). The authority of the certificate is not known; an operator can add it with EGRESS_CA_FILE.',
  });
  expect(server.requests).toEqual([]);
});

test.each(['connectTimeoutMs', 'totalTimeoutMs'])(
  'a send with a TLS handshake longer than %s fails as connect_timeout and disconnects',
  async (limit) => {
    const sockets: Socket[] = [];
    const server = await startSocketServer((socket) => {
      sockets.push(socket);
      // Header of a TLS record without its content. The handshake therefore stays incomplete.
      socket.once('data', () => socket.write(Buffer.from('160303007a02000076', 'hex')));
    });
    expect(await startSending({ [limit]: 300 })(`https://receiver.test:${server.port}/`)).toMatchObject({
      code: 'connect_timeout',
      error: 'The TLS handshake was not made in time.',
    });
    await until('each is closed', () => sockets.every((socket) => socket.destroyed));
  },
);

test.each([
  [
    'supports only old versions of TLS',
    { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' },
    /^tls_failure$/,
  ],
  ['supports only HTTP/2', { ALPNProtocols: ['h2'] }, /^tls_failure$/],
  // The connection can close before the TLS alert of the server arrives, so two error codes are possible.
  [
    'requires a client certificate',
    { requestCert: true, rejectUnauthorized: true },
    /^(tls_failure|connection_reset)$/,
  ],
] satisfies [string, TlsOptions, RegExp][])(
  'a TLS server that %s gets no request',
  async (_what, options, code) => {
    const server = await startTlsServer('receiver.pem', options);
    const result = await startSending()(`https://receiver.test:${server.port}/`);
    expect(result).toMatchObject({ kind: 'error', code: expect.stringMatching(code) });
    expect(server.requests).toEqual([]);
  },
);

test('a TLS error fails as tls_failure before the response head, and cuts a response body', async () => {
  const server = await startTlsServer('receiver.pem');
  let head = '';
  const wires: Socket[] = [];
  const garbled = await startSocketServer((front) => {
    wires.push(front);
    const back = connect(server.port, '127.0.0.1');
    front.pipe(back);
    back.pipe(front, { end: false });
    back.on('error', () => front.destroy());
  });
  server.respond = async (socket) => {
    socket.write(head);
    // The head has to pass the proxy before the invalid bytes. Each hop takes one or two ticks of the event loop.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    wires.at(-1)?.write('not a record of TLS, whatever it may be');
  };
  const send = startSending();
  const url = `https://receiver.test:${garbled.port}/`;
  expect(await send(url)).toMatchObject({
    kind: 'error',
    code: 'tls_failure',
    error: expect.stringMatching(/^TLS failed on the connection \(ERR_SSL_/),
  });
  head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf';
  expect(await send(url)).toMatchObject({
    statusCode: 200,
    body: 'half',
    truncated: true,
    bodyNote: 'cut',
  });
});

test('a send fails as tls_failure if the server has no TLS or disconnects in the handshake', async () => {
  const send = startSending();
  const plain = await startSocketServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')),
  );
  expect(await send(`https://127.0.0.1:${plain.port}/`)).toMatchObject({
    kind: 'error',
    code: 'tls_failure',
  });
  const closing = await startSocketServer((socket) => socket.once('data', () => socket.destroy()));
  expect(await send(`https://127.0.0.1:${closing.port}/`)).toMatchObject({
    kind: 'error',
    code: 'tls_failure',
  });
});

test('creating a sender with an invalid file of certificate authorities throws an error', () => {
  expect(() => createSender({ ...loopback, caFile: fixture('none.pem') })).toThrow('ENOENT');
  expect(() => createSender({ ...loopback, caFile: fixture('README.md') })).toThrow(
    'contains no PEM certificate',
  );
});
