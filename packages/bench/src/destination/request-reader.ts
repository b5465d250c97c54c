/** What the benchmark needs of a request: the path's number and the body. */
export interface ReadRequest {
  webhook: number;
  body: string;
}

const pathStart = 'POST /hook/'.length;

/**
 * Takes requests out of what a connection brings. Knows only what our clients send (a Content-Length, no trailers), and
 * copies nothing when a chunk is one whole request, so that the destination costs next to nothing beside the sender.
 */
export function createRequestReader(onRequest: (request: ReadRequest) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    let text = rest === '' ? chunk.toString('latin1') : rest + chunk.toString('latin1');
    for (;;) {
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd === -1) break;
      const bodyStart = headEnd + 4;
      const end = bodyStart + contentLength(text, headEnd);
      if (text.length < end) break;
      onRequest({ webhook: text.charCodeAt(pathStart) - 48, body: text.slice(bodyStart, end) });
      text = text.slice(end);
    }
    rest = text;
  };
}

function contentLength(text: string, headEnd: number): number {
  // Two spellings come from our clients; the general search is for a stranger's.
  let at = text.indexOf('ontent-');
  while (at !== -1 && at < headEnd) {
    const value = text.slice(at + 7, at + 13).toLowerCase();
    if (value === 'length') return Number.parseInt(text.slice(at + 14, at + 26), 10);
    at = text.indexOf('ontent-', at + 7);
  }
  throw new Error(`A request without Content-Length: ${text.slice(0, headEnd)}`);
}
