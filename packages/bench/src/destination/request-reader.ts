export interface ReadRequest {
  /** Digit at the end of the path `/hook/{digit}`. */
  webhook: number;
  body: string;
}

const pathStart = 'POST /hook/'.length;

/**
 * Returns a function that takes the chunks of one connection and calls `onRequest` for every complete request. Supports
 * only requests of our senders: with Content-Length, without trailers. Parsing stays cheap because the destination
 * runs on the cores that are measured; a chunk that is exactly one request is not copied.
 */
export function createRequestReader(onRequest: (request: ReadRequest) => void): (chunk: Buffer) => void {
  let incomplete = '';
  return (chunk) => {
    let text = incomplete === '' ? chunk.toString('latin1') : incomplete + chunk.toString('latin1');
    for (;;) {
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd === -1) break;
      const bodyStart = headEnd + 4;
      const end = bodyStart + contentLength(text, headEnd);
      if (text.length < end) break;
      onRequest({ webhook: text.charCodeAt(pathStart) - 48, body: text.slice(bodyStart, end) });
      text = text.slice(end);
    }
    incomplete = text;
  };
}

function contentLength(text: string, headEnd: number): number {
  // Matches both "Content-Length" and "content-length".
  let at = text.indexOf('ontent-');
  while (at !== -1 && at < headEnd) {
    const name = text.slice(at + 7, at + 13).toLowerCase();
    if (name === 'length') return Number.parseInt(text.slice(at + 14, at + 26), 10);
    at = text.indexOf('ontent-', at + 7);
  }
  throw new Error(`A request without Content-Length: ${text.slice(0, headEnd)}`);
}
