import { type HttpServer, listen } from './http/server.js';
import type { Metrics } from './metrics.js';

/** Serves `/metrics` on a port of its own, so that it can be kept inside the network. */
export function serveMetrics(metrics: Metrics, address: { host: string; port: number }): Promise<HttpServer> {
  return listen(async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    const { contentType, text } = await metrics.expose();
    response.writeHead(200, { 'Content-Type': contentType }).end(text);
  }, address);
}
