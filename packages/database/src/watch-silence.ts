import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/** Of a `pg.Client`, what lies under it once it is connected. */
interface Wire extends EventEmitter {
  stream: Socket;
}

/**
 * Ends a connection on which a statement was sent and nothing has come back for `timeoutMs`: a server that is frozen,
 * or cut off without a word, would otherwise hold its caller for ever. An idle connection is left alone.
 */
export function watchSilence({ connection }: { connection: Wire }, timeoutMs: number): void {
  const { stream } = connection;
  let answeredUpTo = stream.bytesWritten;
  connection.on('readyForQuery', () => {
    answeredUpTo = stream.bytesWritten;
  });
  // Not a listener of setTimeout's own: that one is heard once, and an idle connection would use it up.
  stream.setTimeout(timeoutMs);
  stream.on('timeout', () => {
    if (stream.bytesWritten === answeredUpTo) return;
    const error = new Error(`The database has not answered for ${timeoutMs} ms.`);
    stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  });
}
