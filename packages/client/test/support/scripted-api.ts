import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** True: the connection is closed without a response. */
  cut?: boolean;
  /** True: the request never gets a response. */
  hang?: boolean;
}

/** Starts an HTTP server that sends the given responses in order, and `{}` after the last one. */
export async function startScriptedApi() {
  const seen: Seen[] = [];
  const replies: Reply[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    const { status = 200, headers: more = {}, body = {}, cut, hang } = replies.shift() ?? {};
    if (hang) return;
    if (cut) return void request.socket.destroy();
    const type = status < 300 ? 'application/json' : 'application/problem+json';
    response.writeHead(status, { 'content-type': type, ...more });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    script: (...more: Reply[]) => void replies.push(...more),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type ScriptedApi = Awaited<ReturnType<typeof startScriptedApi>>;
