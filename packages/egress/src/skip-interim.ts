import type { Socket } from 'node:net';

/** 101 is none: it would end HTTP on the connection. */
const interimHead = /^HTTP\/1\.\d 1(?!01)\d\d[ \r]/;
const shortestHead = 'HTTP/1.1 100\r';
const maxHeadBytes = 4096;
const maxHeads = 10;

/**
 * Drops interim answers (100 Continue, 103 Early Hints), which nobody asked for, as RFC 9110 §15.2 lets a client: undici
 * fails the request at a 100. Looks only at what comes before the answer's own head; a flood of them, or an endless
 * one, goes through and fails there.
 * @returns what to call when a request is written: an answer's head is due from there on
 */
export function skipInterim(socket: Socket): () => void {
  const read = socket.read.bind(socket);
  let isHeadDue = false;
  let heads = 0;
  let held: Buffer | undefined;

  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    if (!isHeadDue || chunk === null) return chunk;
    let bytes = held ? Buffer.concat([held, chunk]) : chunk;
    held = undefined;
    while (heads < maxHeads && bytes.length < maxHeadBytes && mayBeInterim(bytes)) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end === -1) {
        held = bytes;
        return null;
      }
      heads += 1;
      bytes = bytes.subarray(end + 4);
      if (bytes.length === 0) return null;
    }
    isHeadDue = false;
    return bytes;
  };

  return () => {
    isHeadDue = true;
    heads = 0;
  };
}

/** A start that is too short to tell is waited for, too: it is taken for the one that it may become. */
function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, shortestHead.length);
  return interimHead.test(start + shortestHead.slice(start.length));
}
