import type { Socket } from 'node:net';

const interimHead = /^HTTP\/1\.\d 100[ \r]/;
const shortestHead = 'HTTP/1.1 100\r\n\r\n'.length;
const maxHeadBytes = 4096;
const maxHeads = 10;

/**
 * Drops `100 Continue` heads that nobody asked for, as RFC 9110 §15.2 wants of a client: undici fails the request at
 * one. Looks only at what comes before the answer's own head; a flood of them, or an endless one, goes through and
 * fails in undici.
 * @returns what to call when a request is written: an answer's head is due from there on
 */
export function skipContinue(socket: Socket): () => void {
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

/** A start that is too short to tell is waited for, too. */
function mayBeInterim(bytes: Buffer): boolean {
  if (bytes.length >= shortestHead) return interimHead.test(bytes.toString('latin1', 0, shortestHead));
  const start = bytes.toString('latin1');
  return interimHead.test(start) || isPrefix(start);
}

function isPrefix(start: string): boolean {
  return 'HTTP/1.1 100 '.startsWith(start) || 'HTTP/1.0 100 '.startsWith(start);
}
