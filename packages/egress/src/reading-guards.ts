import type { Socket } from 'node:net';
import { watchAnswerStart } from './answer-start.js';
import { boundOverhead } from './bound-overhead.js';
import type { OpenSocket } from './open-socket.js';
import { SendFailure } from './send-failure.js';
import { maxAnswerBytes, watchReading } from './watch-reading.js';

/** What a connection tells those who look at what it is sent. */
export interface ReadingGuards {
  /** An exchange begins, which keeps so much of the answer's body: what comes is counted anew. */
  restart(maxResponseBytes: number): void;
  /** A request is written: an answer's start is due from here on. */
  expectAnswer(): void;
  /** A head, or a piece of body, has come. */
  noteProgress(): void;
  stop(): void;
}

export interface ReadingGuardsOptions {
  /** More comes than an answer may have. Called again at each look. */
  onFlood: (failure: SendFailure) => void;
  /** What comes is no answer to read on. */
  onRefused: (failure: SendFailure) => void;
}

/**
 * What a destination sends is judged before undici reads it. Each guard puts itself in front of `socket.read` as it finds
 * it, so their order matters. Next to the socket overhead is counted: only there can it ask for small pieces, and see the
 * interim answers that the guard in front of it drops. The look at the wire comes last, to be the first at each reading:
 * a socket that it ends is not read any more.
 */
export function createReadingGuards(
  { socket, wire }: OpenSocket,
  { onFlood, onRefused }: ReadingGuardsOptions,
): ReadingGuards {
  const endFlood = () => onFlood(tooMuch());
  const watch = watchReading(wire, maxAnswerBytes(0), endFlood);
  const noteProgress = boundOverhead(socket, endFlood);
  const expectAnswer = watchAnswerStart(socket, onRefused);
  lookAtEachRead(socket, watch.check);
  return {
    restart(maxResponseBytes) {
      watch.restart(maxAnswerBytes(maxResponseBytes));
      noteProgress();
    },
    expectAnswer,
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
  return new SendFailure('invalid_response', 'The destination sends more than an answer may have.');
}
