import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type ServerOpts, type Socket } from 'node:net';

export interface RawServer {
  port: number;
  url: string;
  /** All requests as they were sent, one character for each byte. */
  requests: string[];
  /** All connections, including closed ones. */
  sockets: Socket[];
  close(): Promise<void>;
}

/**
 * Called for each complete request. `requestIndex` is the number of requests that the server received before, on all
 * connections.
 */
export type Respond = (socket: Socket, requestIndex: number) => void;

/** Starts a server on loopback that reads requests and sends exactly the bytes that the test chooses. */
export async function startRawServer(respond: Respond): Promise<RawServer> {
  return serveRaw(createServer({ noDelay: true }), 'connection', respond);
}

/**
 * Serves raw bytes on the connections of `server`. `event` is the event that reports a connection, such as
 * `secureConnection` of a TLS server.
 */
export async function serveRaw(server: Server, event: string, respond: Respond): Promise<RawServer> {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  server.on(event, (socket: Socket) => {
    sockets.push(socket);
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      for (let end = endOfRequest(received); end !== undefined; end = endOfRequest(received)) {
        requests.push(received.slice(0, end));
        received = received.slice(end);
        respond(socket, requests.length - 1);
      }
    });
  });
  return { ...(await listen(server)), requests, sockets };
}

/** Starts a server that calls `onConnection` and reads nothing. */
export async function startSocketServer(onConnection: (socket: Socket) => void, options: ServerOpts = {}) {
  return listen(createServer(options, onConnection));
}

async function listen(server: Server) {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function endOfRequest(received: string): number | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  // The HTTP client puts its own Content-Length into the last header line. The value of a header that a webhook
  // configures can contain the same text, so the pattern matches only at the end of the headers.
  const length = Number(/\r\ncontent-length: (\d+)$/i.exec(received.slice(0, headEnd))?.[1] ?? 0);
  const end = headEnd + 4 + length;
  return received.length >= end ? end : undefined;
}
