import type { Socket } from 'node:net';
import { watchAnswerStart } from './answer-start.js';
import { boundOverhead } from './bound-overhead.js';
import type { OpenSocket } from './open-socket.js';
import { SendFailure } from './send-failure.js';
import { maxResponseWireBytes, watchReading } from './watch-reading.js';

/** What a connection tells those who look at what it is sent. */
export interface ReadingGuards {
  /** An exchange begins, which keeps so much of the response's body: what comes is counted anew. */
  restart(maxResponseBytes: number): void;
  /** A request is written: a response's start is due from here on. */
  expectResponse(): void;
  /** A head, or a piece of body, has come. */
  noteProgress(): void;
  stop(): void;
}

export interface ReadingGuardsOptions {
  /** More comes than a response may have. Called again at each look. */
  onFlood: (failure: SendFailure) => void;
  /** What comes is no response to read on. */
  onRefused: (failure: SendFailure) => void;
}

/**
 * What a destination sends is judged before undici reads it. Each guard puts itself in front of `socket.read` as it finds
 * it, so their order matters. Next to the socket overhead is counted: only there can it ask for small pieces, and see the
 * interim responses that the guard in front of it drops. The look at the wire comes last, to be the first at each reading:
 * a socket that it ends is not read any more.
 */
export function createReadingGuards(
  { socket, wire }: OpenSocket,
  { onFlood, onRefused }: ReadingGuardsOptions,
): ReadingGuards {
  const endFlood = () => onFlood(tooMuch());
  const watch = watchReading(wire, maxResponseWireBytes(0), endFlood);
  const noteProgress = boundOverhead(socket, endFlood);
  const expectResponse = watchAnswerStart(socket, onRefused);
  lookAtEachRead(socket, watch.check);
  return {
    restart(maxResponseBytes) {
      watch.restart(maxResponseWireBytes(maxResponseBytes));
      noteProgress();
    },
    expectResponse,
    noteProgress,
    stop: watch.stop,
  };
}

function lookAtEachRead(socket: Socket, look: () => void): void {
  const read = socket.read.bind(socket);
  socket.read = () => {
    look();
    return socket.destroyed ? null : read();
  };
}

function tooMuch(): SendFailure {
  return new SendFailure('invalid_response', 'The destination sends more than a response may have.');
}
