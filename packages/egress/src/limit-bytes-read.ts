import type { Socket } from 'node:net';

export interface BytesReadLimit {
  /**
   * Checks the limit now. The caller must do this before each read, because a fast link delivers megabytes between two
   * checks by the timer.
   */
  check(): void;
  /** Restarts the count with a new limit. */
  restart(maxBytes: number): void;
  stop(): void;
}

/**
 * Interval of the timer that checks the limit, in milliseconds. Checks before reads are not enough, because no event
 * reports TLS records without content (session tickets, key updates).
 */
const checkIntervalMs = 250;

/**
 * Calls `onExceeded` at each check after more than `maxBytes` have been read from `wire`, the TCP socket below TLS.
 * Neither undici's parser nor OpenSSL limits reason phrases, chunk extensions or session tickets. Without this limit, a
 * destination can make the process read a gigabyte in the 10 s of one request.
 */
export function limitBytesRead(wire: Socket, maxBytes: number, onExceeded: () => void): BytesReadLimit {
  let lastByte = wire.bytesRead + maxBytes;
  const check = () => {
    if (wire.bytesRead > lastByte) onExceeded();
  };
  const timer = setInterval(check, checkIntervalMs).unref();
  const stop = () => clearInterval(timer);
  // After an aborted handshake no caller calls `stop`, so the timer also stops when the socket closes.
  wire.once('close', stop);
  return {
    check,
    restart(freshBytes) {
      lastByte = wire.bytesRead + freshBytes;
    },
    stop,
  };
}
