import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCommands } from '../test-bed/helper-process.js';

/**
 * Commands of an HTTP server that responds with an empty list without reading any data. The CPU time of such a response
 * is the minimum that a server on Node.js needs for a request on this machine.
 */
const commands = {
  /** Starts the server and returns its URL. */
  async listen(): Promise<string> {
    const server = createServer((_request, response) => response.end('[]')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

export type BareServerCommands = typeof commands;

serveCommands(commands);
