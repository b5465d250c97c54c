export interface ReadRequest {
  /** Number of the webhook, 0 to 99: the end of the path `/hook/{number}`. */
  webhook: number;
  body: string;
}

const pathStart = 'POST /hook/'.length;
const maxDigits = 2;

/**
 * Returns a function that reads the chunks of one connection and calls `onRequest` for each complete request. It
 * supports only the requests of our own senders: with Content-Length and without trailers. It does little work, because
 * the destination runs on the same cores as the measured processes.
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
      const webhook = Number.parseInt(text.slice(pathStart, pathStart + maxDigits), 10);
      onRequest({ webhook, body: text.slice(bodyStart, end) });
      text = text.slice(end);
    }
    incomplete = text;
  };
}

function contentLength(text: string, headEnd: number): number {
  // The search without the first letter finds both `Content-Length` and `content-length`.
  let at = text.indexOf('ontent-');
  while (at !== -1 && at < headEnd) {
    const name = text.slice(at + 7, at + 13).toLowerCase();
    if (name === 'length') return Number.parseInt(text.slice(at + 14, at + 26), 10);
    at = text.indexOf('ontent-', at + 7);
  }
  throw new Error(`A request without Content-Length: ${text.slice(0, headEnd)}`);
}
