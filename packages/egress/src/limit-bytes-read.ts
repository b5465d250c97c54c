import type { Socket } from 'node:net';

export interface BytesReadLimit {
  /** Checks now. Call it before each read: between two ticks of the timer a fast link delivers megabytes. */
  check(): void;
  /** Starts a new count with this limit. */
  restart(maxBytes: number): void;
  stop(): void;
}

/** No event reports TLS records without content (session tickets, key updates), so a timer checks as well. */
const checkIntervalMs = 250;

/**
 * Calls `onExceeded` at every check once more than `maxBytes` have been read from `wire`, the TCP socket below TLS.
 * Neither undici's parser nor OpenSSL limits reason phrases, chunk extensions or session tickets: without this limit a
 * destination could make the process read a gigabyte in the 10 s of one request.
 */
export function limitBytesRead(wire: Socket, maxBytes: number, onExceeded: () => void): BytesReadLimit {
  let lastByte = wire.bytesRead + maxBytes;
  const check = () => {
    if (wire.bytesRead > lastByte) onExceeded();
  };
  const timer = setInterval(check, checkIntervalMs).unref();
  const stop = () => clearInterval(timer);
  // Nobody is told of an aborted handshake, so no caller calls stop().
  wire.once('close', stop);
  return {
    check,
    restart(freshBytes) {
      lastByte = wire.bytesRead + freshBytes;
    },
    stop,
  };
}
