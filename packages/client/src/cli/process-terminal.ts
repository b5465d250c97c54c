import type { Terminal } from './io.js';

/**
 * Creates the terminal of an output stream of the process. After an error of the stream, all further output is
 * discarded, and the command continues, because it may have changes to finish. `onFailure` is called with the first
 * error, unless it is EPIPE: then the program that reads the output, such as `head`, has ended, which is not a failure.
 */
export function createProcessTerminal(
  stream: NodeJS.WriteStream,
  onFailure: (error: NodeJS.ErrnoException) => void,
): Terminal {
  let isClosed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!isClosed && error.code !== 'EPIPE') onFailure(error);
    isClosed = true;
  });
  return {
    write(text) {
      if (!isClosed) stream.write(text);
    },
    get isClosed() {
      return isClosed;
    },
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns;
    },
  };
}
