/** A destination that takes every request and never answers, and a name server that does the same. */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { serveCommands } from '../test-bed/helper-process.js';

let connections = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.resume();
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1');
const names = createSocket('udp4');
let questions = 0;
names.on('message', () => {
  questions += 1;
});
names.bind(0, '127.0.0.1');

const commands = {
  async listen(): Promise<{ port: number; namesPort: number }> {
    if (!server.listening) await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, namesPort: names.address().port };
  },
  /** What has come since the last call. */
  met(): { connections: number; questions: number } {
    const met = { connections, questions };
    connections = 0;
    questions = 0;
    return met;
  },
};
export type SilentCommands = typeof commands;

serveCommands(commands);
