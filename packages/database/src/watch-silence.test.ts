import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { watchSilence } from './watch-silence.js';

test('a connection that was idle for long is ended as soon as a statement on it stays unanswered', async () => {
  const server = createServer((socket) =>
    socket
      .unref()
      .on('error', () => {})
      .resume(),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Unreferenced, so that a connection that is never ended fails the test and does not keep the process.
  server.unref();
  const stream = connect((server.address() as AddressInfo).port, '127.0.0.1').unref();
  await once(stream, 'connect');
  watchSilence({ connection: Object.assign(new EventEmitter(), { stream }) }, 20);
  await once(stream, 'timeout');
  expect(stream.destroyed).toBe(false);
  stream.write('select 1');
  expect(await once(stream, 'error')).toMatchObject([{ code: 'ETIMEDOUT' }]);
});
