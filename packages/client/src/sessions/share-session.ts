import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Session, TokenRequest } from './session.js';
import { SessionError, type SessionErrorCode } from './session-error.js';

interface TokenMessage {
  id: number;
  rejected: string | undefined;
}

type Reply =
  | { id: number; token: string }
  | { id: number; message: string; code?: SessionErrorCode; reason?: string };

/**
 * Makes a session usable in another thread. Transfer the returned port (`workerData` and `transferList`) and pass it to
 * `receiveSession` there. This thread keeps the tokens and refreshes them for all threads. The open port does not
 * prevent this thread from ending. It prevents the end of the other thread only while a call there waits for a token.
 */
export function shareSession(session: Session): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', async ({ id, rejected }: TokenMessage) => {
    port1.postMessage(await reply(session, { id, rejected }));
  });
  port1.unref();
  return port2;
}

async function reply(session: Session, { id, rejected }: TokenMessage): Promise<Reply> {
  try {
    return { id, token: await session.token({ rejected }) };
  } catch (error) {
    if (!(error instanceof SessionError)) return { id, message: String(error) };
    const { message, code, reason } = error;
    return { id, message, code, ...(reason !== undefined && { reason }) };
  }
}

interface Waiter {
  resolve(token: string): void;
  reject(error: unknown): void;
}

/** Returns a session that forwards each call to the thread that has called `shareSession`. */
export function receiveSession(port: MessagePort): Session {
  const waiters = new Map<number, Waiter>();
  let asked = 0;
  let closed = false;

  const settle = (id: number): Waiter | undefined => {
    const waiter = waiters.get(id);
    waiters.delete(id);
    if (waiters.size === 0) port.unref();
    return waiter;
  };
  port.on('message', (reply: Reply) => {
    const waiter = settle(reply.id);
    if ('token' in reply) waiter?.resolve(reply.token);
    else waiter?.reject(toError(reply));
  });
  port.on('close', () => {
    closed = true;
    for (const id of [...waiters.keys()]) settle(id)?.reject(sessionClosed());
  });
  port.unref();

  return {
    token: ({ rejected, signal }: TokenRequest = {}) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (closed) throw sessionClosed();
        asked += 1;
        const id = asked;
        const abort = () => settle(id)?.reject(signal?.reason);
        signal?.addEventListener('abort', abort, { once: true });
        const done = () => signal?.removeEventListener('abort', abort);
        waiters.set(id, {
          resolve: (token) => {
            done();
            resolve(token);
          },
          reject: (error) => {
            done();
            reject(error);
          },
        });
        port.ref();
        port.postMessage({ id, rejected } satisfies TokenMessage);
      }),
  };
}

function toError({ message, code, reason }: Exclude<Reply, { token: string }>): Error {
  return code === undefined
    ? new Error(message)
    : new SessionError(code, message, reason === undefined ? {} : { reason });
}

function sessionClosed(): SessionError {
  return new SessionError('session_closed', 'The thread that owned this session is gone.');
}
