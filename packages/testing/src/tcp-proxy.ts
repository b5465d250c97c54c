import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `to-server`: bytes that the client sends. `to-client`: bytes that the server sends. */
type Direction = 'to-server' | 'to-client';

/** A proxy between a client and its server that injects network faults. */
export interface TcpProxy {
  /** URL of the server, with the host and port of the proxy. */
  readonly url: string;
  /**
   * Stops forwarding in the given directions, or in both directions if none is given. The end of a connection is not
   * forwarded either, so neither side notices the fault. New connections are accepted and frozen.
   */
  freeze(...directions: Direction[]): void;
  /** Freezes the responses on a connection when its client sends one of the given texts. */
  freezeResponsesTo(...texts: string[]): void;
  /** Cuts the next connection on which the client sends the given bytes. The server does not receive these bytes. */
  cutAtNext(data: Buffer): void;
  /** Delays every byte in both directions. */
  delay(ms: number): void;
  /** Ends `freeze`, `freezeResponsesTo` and `refuse`, and forwards the frozen bytes. */
  thaw(): void;
  /** Ends every connection. Bytes that were not forwarded because of `freeze` are lost. */
  cut(): void;
  /** Ends every connection. Until `thaw` is called, each new connection is ended immediately. */
  refuse(): void;
  /** Sends bytes to every connected client, as if the server had sent them. */
  inject(data: Buffer): void;
  /** Appends bytes to the next bytes that the server sends to any client, so that both arrive in the same packet. */
  injectWithNext(data: Buffer): void;
  close(): Promise<void>;
}

const bothDirections: Direction[] = ['to-server', 'to-client'];

/** The faults that are active now. */
interface Faults {
  frozen: Set<Direction>;
  /** Sockets to the server whose responses `freezeResponsesTo` has frozen. */
  frozenSockets: Set<Socket>;
  freezeAt: string[];
  cutAt: Buffer | undefined;
  delayMs: number;
  isRefusing: boolean;
  injections: Buffer[];
}

/** Forwards connections from a free port of 127.0.0.1 to the host and port of `serverUrl`. */
export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const { hostname: host, port } = new URL(serverUrl);
  const faults: Faults = {
    frozen: new Set(),
    frozenSockets: new Set(),
    freezeAt: [],
    cutAt: undefined,
    delayMs: 0,
    isRefusing: false,
    injections: [],
  };
  const open = new Map<Socket, Pipe[]>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    if (faults.isRefusing) return void client.destroy();
    const upstream = connect({ port: Number(port), host, noDelay: true, allowHalfOpen: true });
    const pipes: Pipe[] = [
      { from: client, to: upstream, direction: 'to-server' },
      { from: upstream, to: client, direction: 'to-client' },
    ];
    open.set(client, pipes);
    for (const pipe of pipes) pump(pipe, faults);
    client.on('close', () => open.delete(client));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  const proxy: TcpProxy = {
    url: url.href,
    freeze(...directions) {
      for (const direction of directions.length === 0 ? bothDirections : directions)
        faults.frozen.add(direction);
      for (const pipes of open.values())
        for (const { from, direction } of pipes) if (faults.frozen.has(direction)) from.pause();
    },
    freezeResponsesTo(...texts) {
      faults.freezeAt = texts;
    },
    cutAtNext(data) {
      faults.cutAt = data;
    },
    delay(ms) {
      faults.delayMs = ms;
    },
    thaw() {
      faults.frozen.clear();
      faults.frozenSockets.clear();
      faults.freezeAt = [];
      faults.isRefusing = false;
      for (const pipes of open.values()) for (const { from } of pipes) from.resume();
    },
    cut() {
      for (const pipes of open.values()) for (const { from } of pipes) from.destroy();
    },
    refuse() {
      faults.isRefusing = true;
      proxy.cut();
    },
    inject(data) {
      for (const client of open.keys()) client.write(data);
    },
    injectWithNext(data) {
      faults.injections.push(data);
    },
    async close() {
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** One direction of a connection. Bytes that arrive on `from` are written to `to`. */
interface Pipe {
  from: Socket;
  to: Socket;
  direction: Direction;
}

function pump({ from, to, direction }: Pipe, faults: Faults): void {
  const isFrozen = () => faults.frozen.has(direction) || faults.frozenSockets.has(from);
  const schedule = inOrder(() => faults.delayMs);
  from.on('data', (chunk: Buffer) => {
    if (direction === 'to-server' && faults.cutAt !== undefined && chunk.includes(faults.cutAt)) {
      faults.cutAt = undefined;
      to.destroy();
      from.destroy();
      return;
    }
    if (direction === 'to-server' && faults.freezeAt.some((text) => chunk.includes(text))) {
      faults.frozenSockets.add(to);
      to.pause();
    }
    const injected = direction === 'to-client' ? faults.injections.splice(0) : [];
    schedule(() => {
      if (!to.write(injected.length === 0 ? chunk : Buffer.concat([chunk, ...injected]))) from.pause();
    });
  });
  to.on('drain', () => {
    if (!isFrozen()) from.resume();
  });
  from.on('end', () => schedule(() => to.end()));
  from.on('error', () => to.destroy());
  if (isFrozen()) from.pause();
}

/**
 * Returns a function that schedules actions. An action runs after the delay that `delayMs` returns when the action is
 * scheduled, but never before an action that was scheduled earlier.
 */
function inOrder(delayMs: () => number): (act: () => void) => void {
  const waiting: (() => void)[] = [];
  let dueMs = 0;
  return (act) => {
    if (delayMs() === 0 && waiting.length === 0) return act();
    dueMs = Math.max(dueMs, performance.now() + delayMs());
    waiting.push(act);
    // Node rounds the times of timers to milliseconds, so two timers can fire in the wrong order. Each timer therefore
    // runs the oldest waiting action.
    setTimeout(() => waiting.shift()?.(), dueMs - performance.now());
  };
}
