import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `to-server`: what the client sends does not arrive. `to-client`: what the server answers does not. */
type Direction = 'to-server' | 'to-client';

/** Stands between a client and its server, and does to the wire what networks do. */
export interface TcpProxy {
  /** The server's, by way of this. */
  readonly url: string;
  /** Nothing passes any more and nobody is told, the end of a connection included; new ones are taken and lie still. */
  freeze(...directions: Direction[]): void;
  /** From when a client sends one of these, nothing that the server says on that connection arrives. */
  freezeAnswersTo(...texts: string[]): void;
  /** The next connection on which a client sends this ends there and then, and the server does not hear of it. */
  cutAtNext(data: Buffer): void;
  /** Every byte comes so many milliseconds late, both ways. */
  delay(ms: number): void;
  /** What was held passes now, and who comes is let in again. */
  thaw(): void;
  /** Ends every connection; what was held is lost. */
  cut(): void;
  /** Ends every connection, and each new one at once. */
  refuse(): void;
  /** Tells every client what the server has not said. */
  say(data: Buffer): void;
  /** The same behind what the server says next to any of them, in one piece with it. */
  sayWithNext(data: Buffer): void;
  close(): Promise<void>;
}

const bothWays: Direction[] = ['to-server', 'to-client'];

/** What is being done to what passes. */
interface Harm {
  frozen: Set<Direction>;
  /** Ends of connections that are frozen by themselves. */
  held: Set<Socket>;
  trap: string[];
  cutAt: Buffer | undefined;
  delayMs: number;
  isRefusing: boolean;
  saidNext: Buffer[];
}

/** Forwards connections from a free port of 127.0.0.1 to the host and port of `serverUrl`. */
export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const { hostname: host, port } = new URL(serverUrl);
  const harm: Harm = {
    frozen: new Set(),
    held: new Set(),
    trap: [],
    cutAt: undefined,
    delayMs: 0,
    isRefusing: false,
    saidNext: [],
  };
  const open = new Map<Socket, Way[]>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    if (harm.isRefusing) return void client.destroy();
    const upstream = connect({ port: Number(port), host, noDelay: true, allowHalfOpen: true });
    const ways: Way[] = [
      { from: client, to: upstream, direction: 'to-server' },
      { from: upstream, to: client, direction: 'to-client' },
    ];
    open.set(client, ways);
    for (const way of ways) pump(way, harm);
    client.on('close', () => open.delete(client));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  const proxy: TcpProxy = {
    url: url.href,
    freeze(...directions) {
      for (const direction of directions.length === 0 ? bothWays : directions) harm.frozen.add(direction);
      for (const ways of open.values())
        for (const { from, direction } of ways) if (harm.frozen.has(direction)) from.pause();
    },
    freezeAnswersTo(...texts) {
      harm.trap = texts;
    },
    cutAtNext(data) {
      harm.cutAt = data;
    },
    delay(ms) {
      harm.delayMs = ms;
    },
    thaw() {
      harm.frozen.clear();
      harm.held.clear();
      harm.trap = [];
      harm.isRefusing = false;
      for (const ways of open.values()) for (const { from } of ways) from.resume();
    },
    cut() {
      for (const ways of open.values()) for (const { from } of ways) from.destroy();
    },
    refuse() {
      harm.isRefusing = true;
      proxy.cut();
    },
    say(data) {
      for (const client of open.keys()) client.write(data);
    },
    sayWithNext(data) {
      harm.saidNext.push(data);
    },
    async close() {
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** One way of a connection. */
interface Way {
  from: Socket;
  to: Socket;
  direction: Direction;
}

function pump({ from, to, direction }: Way, harm: Harm): void {
  const isFrozen = () => harm.frozen.has(direction) || harm.held.has(from);
  const later = inOrder(() => harm.delayMs);
  from.on('data', (chunk: Buffer) => {
    if (direction === 'to-server' && harm.cutAt !== undefined && chunk.includes(harm.cutAt)) {
      harm.cutAt = undefined;
      to.destroy();
      from.destroy();
      return;
    }
    if (direction === 'to-server' && harm.trap.some((text) => chunk.includes(text))) {
      harm.held.add(to);
      to.pause();
    }
    const said = direction === 'to-client' ? harm.saidNext.splice(0) : [];
    later(() => {
      if (!to.write(said.length === 0 ? chunk : Buffer.concat([chunk, ...said]))) from.pause();
    });
  });
  to.on('drain', () => {
    if (!isFrozen()) from.resume();
  });
  from.on('end', () => later(() => to.end()));
  from.on('error', () => to.destroy());
  if (isFrozen()) from.pause();
}

/** Acts now, or later where that is asked for; never before what came earlier. */
function inOrder(delayMs: () => number): (act: () => void) => void {
  const waiting: (() => void)[] = [];
  let dueMs = 0;
  return (act) => {
    if (delayMs() === 0 && waiting.length === 0) return act();
    dueMs = Math.max(dueMs, performance.now() + delayMs());
    waiting.push(act);
    // Timers count whole milliseconds, so a later one may come first: it does what is first in the line.
    setTimeout(() => waiting.shift()?.(), dueMs - performance.now());
  };
}
