import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Range of the returned ports. It is below the ephemeral range (from 32768 on Linux), so that no outgoing connection
// takes a port before the caller uses it.
const lowest = 15_000;
const highest = 32_000;

/** Returns different ports of 127.0.0.1 that are currently free. */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(lowest, highest);
    if (await isPortFree(port)) ports.add(port);
  }
  return [...ports];
}

/** Returns false for a port in use. Rejects for other errors, for example for a port below 1024 without privileges. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
