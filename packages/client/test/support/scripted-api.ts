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

/**
 * Starts an HTTP server that sends the given responses in order. After the last one it confirms alerts as the API does,
 * and responds to every other request with `{}`.
 */
export async function startScriptedApi() {
  const seen: Seen[] = [];
  const replies: Reply[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const received = { method, url, headers, body: Buffer.concat(chunks).toString() };
    seen.push(received);
    const { status = 200, headers: more = {}, body = {}, cut, hang } = replies.shift() ?? replyTo(received);
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

function replyTo({ method, url, body }: Seen): Reply {
  if (method !== 'POST' || !url.endsWith('/alerts')) return {};
  return { status: 202, body: { alert_id: JSON.parse(body).alert_id } };
}
