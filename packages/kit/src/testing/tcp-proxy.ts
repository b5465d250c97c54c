import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `to-server`: what the client sends does not arrive. `to-client`: what the server answers does not. */
type Direction = 'to-server' | 'to-client';

/** Stands between a service and its database or broker, and does to the wire what networks do. */
export interface TcpProxy {
  readonly port: number;
  /** Nothing passes any more and nobody is told, the end of a connection included; new ones are taken and lie still. */
  freeze(...directions: Direction[]): void;
  /** From when a client sends one of these, nothing that the server says on that connection arrives. */
  freezeAnswersTo(...texts: string[]): void;
  /** Every byte comes so many milliseconds late, both ways. */
  delay(ms: number): void;
  /** What was held passes now. */
  thaw(): void;
  /** Ends every connection; what was held is lost. */
  cut(): void;
  close(): void;
}

const bothWays: Direction[] = ['to-server', 'to-client'];

/** Forwards connections from a free port of 127.0.0.1 to `targetPort` there. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const frozen = new Set<Direction>();
  /** Ends of connections that are frozen by themselves. */
  const held = new Set<Socket>();
  let trap: string[] = [];
  let delayMs = 0;
  const open = new Map<Socket, { socket: Socket; direction: Direction }[]>();

  const pump = (from: Socket, to: Socket, direction: Direction) => {
    const isFrozen = () => frozen.has(direction) || held.has(from);
    const later = inOrder(() => delayMs);
    from.on('data', (chunk: Buffer) => {
      if (direction === 'to-server' && trap.some((text) => chunk.includes(text))) {
        held.add(to);
        to.pause();
      }
      later(() => {
        if (!to.write(chunk)) from.pause();
      });
    });
    to.on('drain', () => {
      if (!isFrozen()) from.resume();
    });
    from.on('end', () => later(() => to.end()));
    from.on('error', () => to.destroy());
    if (isFrozen()) from.pause();
  };
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: targetPort, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    open.set(client, [
      { socket: client, direction: 'to-server' },
      { socket: upstream, direction: 'to-client' },
    ]);
    pump(client, upstream, 'to-server');
    pump(upstream, client, 'to-client');
    client.on('close', () => open.delete(client));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    freeze(...directions) {
      for (const direction of directions.length === 0 ? bothWays : directions) frozen.add(direction);
      for (const ends of open.values())
        for (const { socket, direction } of ends) if (frozen.has(direction)) socket.pause();
    },
    freezeAnswersTo(...texts) {
      trap = texts;
    },
    delay(ms) {
      delayMs = ms;
    },
    thaw() {
      frozen.clear();
      held.clear();
      trap = [];
      for (const ends of open.values()) for (const { socket } of ends) socket.resume();
    },
    cut() {
      for (const ends of open.values()) for (const { socket } of ends) socket.destroy();
    },
    close() {
      proxy.cut();
      server.close();
    },
  };
  return proxy;
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
