import type { Socket } from 'node:net';

/** So little is handed on at a time that not many lines of a head are kept before they are counted. */
const pieceBytes = 4096;
/** A head of the 32 KiB of names and values that undici takes, and what stands between them. */
const maxBytes = 40_960;
const maxLines = 500;
const lineFeed = 0x0a;

/**
 * Reads `socket` in small pieces and tells when much was read that brought neither a head nor a byte of body: interim
 * responses, a head or trailers that do not end, chunk extensions. The parser bounds the bytes of names and values only, and
 * keeps two objects for a header: 32 KiB of them as `X:` took seven MiB for as long as an exchange may last.
 * @param onExceeded called before the next piece, which is read only if it leaves the socket open
 * @returns what to call when a head or a piece of body has come, to count anew
 */
export function boundOverhead(socket: Socket, onExceeded: () => void): () => void {
  const read = socket.read.bind(socket);
  let bytes = 0;
  let lines = 0;

  socket.read = () => {
    if (bytes > maxBytes || lines > maxLines) onExceeded();
    if (socket.destroyed) return null;
    // More than there is would be waited for.
    const piece: Buffer | null = read(Math.min(socket.readableLength, pieceBytes) || undefined);
    if (piece === null) return null;
    bytes += piece.length;
    lines += countLines(piece);
    return piece;
  };

  return () => {
    bytes = 0;
    lines = 0;
  };
}

/** Up to what is too many: a body may be nothing but lines. */
function countLines(piece: Buffer): number {
  let lines = 0;
  for (let at = piece.indexOf(lineFeed); at !== -1 && lines <= maxLines; lines += 1) {
    at = piece.indexOf(lineFeed, at + 1);
  }
  return lines;
}
