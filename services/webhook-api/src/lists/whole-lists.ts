import { AppError, createSemaphore, type LimitReason } from '@tocsin/kit';

/**
 * Lists that come whole, however long they are: page by page, and so many pages at a time. While the client reads one its
 * place is another's: nothing makes a client read, and of what is not read the server holds no more than it likes.
 */
export interface WholeLists {
  /**
   * The first page throws AppError `too_many_requests` or `unavailable` where no place becomes free. Those after it wait
   * for one: what has been begun could only be cut.
   */
  stream<Row>(workspaceId: string, pages: AsyncIterable<Row[]>): AsyncIterable<Row[]>;
}

export function createWholeLists(): WholeLists {
  // Each holds about 2 MiB: what was read, what is opened of it, and what is on its way.
  const semaphore = createSemaphore({
    permits: 32,
    permitsPerKey: 4,
    maxWaitMs: 3_000,
    createError: refusal,
  });
  return {
    async *stream(workspaceId, pages) {
      const rest = pages[Symbol.asyncIterator]();
      try {
        for (let page = 0; ; page += 1) {
          const release = await semaphore.acquire(workspaceId, page === 0 ? {} : { maxWaitMs: Infinity });
          const { done, value } = await rest.next().finally(release);
          if (done) return;
          yield value;
        }
      } finally {
        await rest.return?.();
      }
    },
  };
}

function refusal(reason: LimitReason): AppError {
  return reason === 'key'
    ? tooMany('too_many_requests', 'Other lists of this workspace are being read.')
    : tooMany('unavailable', 'Too many lists are being read; try again.');
}

function tooMany(code: 'too_many_requests' | 'unavailable', detail: string): AppError {
  return new AppError(code, detail, { retryAfterSeconds: 2 });
}
