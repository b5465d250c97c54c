import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range from which the system takes the local port of an outgoing connection (32768 and up on Linux), so
// that nobody gets the port by chance between our look and our use of it.
const lowest = 15_000;
const highest = 32_000;

/** Different ports of 127.0.0.1 that were free a moment ago. */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(lowest, highest);
    if (await isPortFree(port)) ports.add(port);
  }
  return [...ports];
}

/** Rejects where the port cannot be used for another reason than being taken, as one below 1024 without rights. */
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
