import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openRestPublisher, type RestPublisher } from './rest-publisher.js';

const replies: ((response: ServerResponse) => void)[] = [
  (response) => response.writeHead(503).end(),
  (response) => response.writeHead(503, { 'Retry-After': '1' }).end(),
  (response) => setTimeout(() => response.destroy(), 100),
  (response) => response.writeHead(202).end(),
];
/** Error code of undici for a connection that closes without a response. */
const connectionClosed = 'UND_ERR_SOCKET';

test('the publisher sends an alert again until it is accepted, and counts all response statuses', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    replies[requests]?.(response);
    requests += 1;
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  let publisher: RestPublisher | undefined;
  await new Promise<void>((resolve) => {
    publisher = openRestPublisher({ url: `http://127.0.0.1:${port}/alerts`, token: 't' });
    publisher.publish({
      content: Buffer.from('7'),
      route: { exchange: '', routingKey: '' },
      onAccepted: resolve,
    });
  });
  const { byStatus, withoutRetryAfter, slowestMs } = publisher!.responses();
  expect(byStatus).toEqual({ 202: 1, 503: 2, [connectionClosed]: 1 });
  expect(withoutRetryAfter).toBe(1);
  // The slowest request is the one without a response: the server closes its connection after 100 ms.
  expect(slowestMs).toBeGreaterThanOrEqual(95);
  await publisher!.close();
  server.close();
});
