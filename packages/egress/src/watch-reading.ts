import type { Socket } from 'node:net';

/** How much a TLS handshake may bring: OpenSSL takes 100 KiB of certificates, all else in it is small. */
export const maxHandshakeBytes = 262_144;

/**
 * How much one response may bring over the wire, whatever it is: a MiB for the 64 KiB that are kept. Chunks of one byte
 * take six on the wire; the other half MiB holds the head, TLS and its tickets.
 */
export function maxResponseWireBytes(maxBodyBytes: number): number {
  return 8 * maxBodyBytes + 524_288;
}

export interface ReadWatch {
  /** Looks now; who reads calls it, as between two looks of the clock a fast line brings megabytes. */
  check(): void;
  /** Counts anew from here. */
  restart(maxBytes: number): void;
  stop(): void;
}

/** How often what nobody reads is looked at: TLS keeps tickets, changes of keys and the like to itself. */
const lookMs = 250;

/**
 * Tells when more than `maxBytes` have come over `wire`, the TCP socket itself. The parser of HTTP bounds neither reason
 * phrases nor chunk extensions, and OpenSSL no tickets: within the ten seconds of an exchange a destination would send
 * a gigabyte of them, for this process to read.
 * @param onExceeded called at each look from there on until the watch is stopped
 */
export function watchReading(wire: Socket, maxBytes: number, onExceeded: () => void): ReadWatch {
  let limit = wire.bytesRead + maxBytes;
  const check = () => {
    if (wire.bytesRead > limit) onExceeded();
  };
  const timer = setInterval(check, lookMs).unref();
  // A handshake that is given up tells nobody, so nobody would stop it.
  wire.once('close', () => clearInterval(timer));
  return {
    check,
    restart(freshBytes) {
      limit = wire.bytesRead + freshBytes;
    },
    stop: () => clearInterval(timer),
  };
}
