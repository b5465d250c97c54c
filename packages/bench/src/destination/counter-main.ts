/**
 * The destinations, in a process that no fault touches: counts every (alert, webhook) as it arrives. It refuses the
 * first request of some, so that retries are always under way too.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { runAt, sequenceAt } from '../load/alert-ids.js';
import { monotonicMs } from '../measure/clock.js';
import { serveCommands } from '../test-bed/helper-process.js';
import { bodyIdAt } from './delivery-body.js';
import { createRequestReader } from './request-reader.js';

export interface Arrivals {
  /** By `alert * webhooks + webhook`: requests that came, and those of them that were answered 500. */
  received: Uint8Array;
  refused: Uint8Array;
  lastArrivalMs: Float64Array;
}

export interface Behaviour {
  /** An answer takes so long. */
  delayMs: number;
  /** One that was received before is answered so much later. */
  repeatDelayMs: number;
}

interface CounterRun {
  run: number;
  capacity: number;
  webhooks: number;
}

/** One (alert, webhook) in so many is answered 500 the first time. */
const refuseOneIn = 50;
const ok = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok');
const refusal = Buffer.from('HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops');

let current: CounterRun = { run: 0, capacity: 0, webhooks: 1 };
let arrivals: Arrivals = makeArrivals(current);
let behaviour: Behaviour = { delayMs: 0, repeatDelayMs: 0 };
let requests = 0;
let unanswered = 0;
let strays = 0;

function makeArrivals({ capacity, webhooks }: CounterRun): Arrivals {
  const slots = capacity * webhooks;
  return {
    received: new Uint8Array(slots),
    refused: new Uint8Array(slots),
    lastArrivalMs: new Float64Array(slots),
  };
}

function onRequest(socket: Socket, { webhook, body }: { webhook: number; body: string }): void {
  const run = Number.parseInt(body.slice(bodyIdAt + runAt.start, bodyIdAt + runAt.end), 16);
  const sequence = Number.parseInt(body.slice(bodyIdAt + sequenceAt.start, bodyIdAt + sequenceAt.end), 16);
  const slot = sequence * current.webhooks + webhook;
  if (run !== current.run || slot >= arrivals.received.length) {
    strays += 1;
    socket.write(ok);
    return;
  }
  const before = arrivals.received[slot]!;
  requests += 1;
  arrivals.received[slot] = Math.min(255, before + 1);
  arrivals.lastArrivalMs[slot] = monotonicMs();
  const refuses = before === 0 && slot % refuseOneIn === 0;
  if (refuses) arrivals.refused[slot]! += 1;
  const answer = refuses ? refusal : ok;
  const delayMs = behaviour.delayMs + (before > arrivals.refused[slot]! ? behaviour.repeatDelayMs : 0);
  if (delayMs === 0) socket.write(answer);
  else {
    unanswered += 1;
    setTimeout(() => {
      unanswered -= 1;
      if (!socket.destroyed) socket.write(answer);
    }, delayMs);
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  socket.on(
    'data',
    createRequestReader((request) => onRequest(socket, request)),
  );
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1');

const commands = {
  async listen(): Promise<{ port: number }> {
    if (!server.listening) await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port };
  },
  begin(run: CounterRun): void {
    current = run;
    arrivals = makeArrivals(run);
    requests = 0;
    strays = 0;
  },
  behave(next: Partial<Behaviour>): void {
    behaviour = { delayMs: 0, repeatDelayMs: 0, ...next };
  },
  progress: () => ({ requests, unanswered, strays }),
  arrivals: (): Arrivals => arrivals,
};
export type CounterCommands = typeof commands;

serveCommands(commands);
