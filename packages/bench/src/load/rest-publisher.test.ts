import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openRestDoor } from './rest-publisher.js';

const answers: ((response: ServerResponse) => void)[] = [
  (response) => response.writeHead(503).end(),
  (response) => response.writeHead(503, { 'Retry-After': '1' }).end(),
  (response) => setTimeout(() => response.destroy(), 100),
  (response) => response.writeHead(202).end(),
];

test('what the API answers, and how long it takes to, is kept until it has taken the alert', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    answers[requests]?.(response);
    requests += 1;
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  let door: ReturnType<typeof openRestDoor> | undefined;
  await new Promise<void>((resolve) => {
    door = openRestDoor({
      url: `http://127.0.0.1:${port}/alerts`,
      token: 't',
      contentOf: String,
      onAccepted: () => resolve(),
    });
    door.offer(7);
  });
  const { byStatus, withoutRetryAfter, slowestMs } = door!.answers();
  expect(byStatus).toEqual({ 202: 1, 503: 2, [cut]: 1 });
  expect(withoutRetryAfter).toBe(1);
  // A caller that is cut off has waited too.
  expect(slowestMs).toBeGreaterThanOrEqual(95);
  door!.close();
  server.close();
});

/** As undici calls it. */
const cut = 'UND_ERR_SOCKET';
