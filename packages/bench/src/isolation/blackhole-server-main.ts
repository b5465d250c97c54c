/** Servers that never respond: an HTTP destination that accepts connections, and a name server. */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { serveCommands } from '../test-bed/helper-process.js';

let connections = 0;
let nameQueries = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.resume();
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1');
const nameServer = createSocket('udp4');
nameServer.on('message', () => {
  nameQueries += 1;
});
nameServer.bind(0, '127.0.0.1');

const commands = {
  async listen(): Promise<{ port: number; nameServerPort: number }> {
    if (!server.listening) await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, nameServerPort: nameServer.address().port };
  },
  counts: () => ({ connections, nameQueries }),
};
export type BlackholeCommands = typeof commands;

serveCommands(commands);
