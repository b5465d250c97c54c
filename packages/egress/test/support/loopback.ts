import { type Respond, startRawServer, startSocketServer } from '@tocsin/testing';
import { createSender, parseCidrs, type SenderOptions } from '../../src/index.js';

interface Closable {
  close(): Promise<void>;
}

/**
 * Returns functions that start servers and senders on loopback. After each test, all of them are closed in reverse
 * order.
 */
export function createLoopback(senderOptions: Partial<SenderOptions> = {}) {
  const open: Closable[] = [];
  afterEach(async () => {
    for (const closable of open.splice(0).reverse()) await closable.close();
  });

  function closeAfterTest<T extends Closable>(closable: T): T {
    open.push(closable);
    return closable;
  }

  return {
    closeAfterTest,
    startSender: (options: Partial<SenderOptions> = {}) =>
      closeAfterTest(createSender({ allow: parseCidrs(['127.0.0.0/8']), ...senderOptions, ...options })),
    startServer: async (respond: Respond) => closeAfterTest(await startRawServer(respond)),
    startSocketServer: async (...args: Parameters<typeof startSocketServer>) =>
      closeAfterTest(await startSocketServer(...args)),
  };
}
