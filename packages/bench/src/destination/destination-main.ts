/**
 * The destination: answers every POST with 200 and counts (alert, webhook). It speaks just enough HTTP/1.1 on bare
 * sockets, because on a small machine its cost is taken from those that are measured.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { runAt, sequenceAt } from '../load/alert-ids.js';
import { monotonicMs } from '../measure/clock.js';
import { serveCommands } from '../test-bed/helper-process.js';
import { countArrival, createTally, type Tally } from './arrivals.js';
import { bodyIdAt } from './delivery-body.js';
import { createRequestReader } from './request-reader.js';

const answer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok');
let tally: Tally = createTally({ run: 0, alerts: 0, webhooks: 1 });
let strays = 0;

const server = createServer({ noDelay: true, highWaterMark: 65_536 }, (socket) => {
  const read = createRequestReader(({ webhook, body }) => {
    socket.write(answer);
    const run = Number.parseInt(body.slice(bodyIdAt + runAt.start, bodyIdAt + runAt.end), 16);
    const sequence = Number.parseInt(body.slice(bodyIdAt + sequenceAt.start, bodyIdAt + sequenceAt.end), 16);
    if (run !== tally.run) strays += 1;
    else countArrival(tally, sequence * tally.webhooks + webhook, monotonicMs());
  });
  socket.on('data', read);
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1');

const commands = {
  async listen(): Promise<{ port: number }> {
    if (!server.listening) await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port };
  },
  begin(run: { run: number; alerts: number; webhooks: number }): void {
    tally = createTally(run);
    strays = 0;
  },
  progress(): { distinct: number; requests: number; strays: number; lastArrivalMs: number } {
    const { distinct, requests, lastArrivalMs } = tally;
    return { distinct, requests, strays, lastArrivalMs };
  },
  tally: (): Tally => tally,
};
export type DestinationCommands = typeof commands;

serveCommands(commands);
