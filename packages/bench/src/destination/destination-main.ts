/**
 * Destination of the measured deliveries. It counts the requests for every pair of alert and webhook and returns 200 by
 * default. It implements a minimum of HTTP/1.1 on plain sockets, because it runs on the same cores as the measured
 * processes.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { runAt, sequenceAt } from '../load/alert-ids.js';
import { monotonicMs } from '../measure/clock.js';
import { serveCommands } from '../test-bed/helper-process.js';
import { type Arrivals, type ArrivalsRun, countArrival, createArrivals } from './arrivals.js';
import { bodyIdAt } from './delivery-body.js';
import { createRequestReader, type ReadRequest } from './request-reader.js';

export interface Behaviour {
  /** Delay of every response to a request of the current run, in milliseconds. */
  delayMs: number;
  /** Additional delay for a request whose delivery already got status 200, in milliseconds. */
  repeatDelayMs: number;
}

export interface DestinationRun extends ArrivalsRun {
  /**
   * With the value n, the first request of every n-th delivery gets status 500, so that retries are in progress all the
   * time. Default: no request is rejected.
   */
  rejectOneIn?: number;
}

const ok = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok');
const serverError = Buffer.from('HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops');
const noDelays: Behaviour = { delayMs: 0, repeatDelayMs: 0 };

let arrivals: Arrivals = createArrivals({ run: 0, alerts: 0, webhooks: 1 });
let behaviour = noDelays;
let rejectOneIn = 0;
let unexpected = 0;

const server = createServer({ noDelay: true, highWaterMark: 65_536 }, (socket) => {
  socket.on(
    'data',
    createRequestReader((request) => respond(socket, request)),
  );
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1');

function respond(socket: Socket, { webhook, body }: ReadRequest): void {
  if (hexAt(body, runAt) !== arrivals.run) {
    unexpected += 1;
    socket.write(ok);
    return;
  }
  const index = hexAt(body, sequenceAt) * arrivals.webhooks + webhook;
  countArrival(arrivals, index, monotonicMs());
  const isFirst = arrivals.received[index] === 1;
  const rejects = rejectOneIn > 0 && isFirst && index % rejectOneIn === 0;
  if (rejects) arrivals.rejected[index]! += 1;
  const response = rejects ? serverError : ok;
  const isRepeat = arrivals.received[index]! - 1 > arrivals.rejected[index]!;
  const delayMs = behaviour.delayMs + (isRepeat ? behaviour.repeatDelayMs : 0);
  if (delayMs === 0) socket.write(response);
  else setTimeout(() => !socket.destroyed && socket.write(response), delayMs);
}

function hexAt(body: string, { start, end }: { start: number; end: number }): number {
  return Number.parseInt(body.slice(bodyIdAt + start, bodyIdAt + end), 16);
}

const commands = {
  async listen(): Promise<{ port: number }> {
    if (!server.listening) await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port };
  },
  /** Resets the counts for a new run. From then on, requests of other runs are counted as unexpected. */
  startRun(run: DestinationRun): void {
    arrivals = createArrivals(run);
    rejectOneIn = run.rejectOneIn ?? 0;
    unexpected = 0;
  },
  /** Sets the delays. Delays that are left out become 0. */
  setBehaviour(next: Partial<Behaviour>): void {
    behaviour = { ...noDelays, ...next };
  },
  progress(): { distinct: number; requests: number; unexpected: number } {
    const { distinct, requests } = arrivals;
    return { distinct, requests, unexpected };
  },
  arrivals: (): Arrivals => arrivals,
};
export type DestinationCommands = typeof commands;

serveCommands(commands);
