import { AppError, createGate } from '@tocsin/kit';

/**
 * Lists that come whole, however long they are: page by page, and so many at a time. A place is kept until the client
 * has read to the end or is cut.
 */
export interface WholeLists {
  /** On its first page throws AppError `too_many_requests` or `unavailable` where no place becomes free. */
  stream<Row>(workspaceId: string, pages: AsyncIterable<Row[]>): AsyncIterable<Row[]>;
}

export function createWholeLists(): WholeLists {
  // Each holds about 2 MiB: what was read, what is opened of it, and what is on its way.
  const gate = createGate({ places: 32, placesOfKey: 4, maxWaitMs: 3_000 });
  return {
    async *stream(workspaceId, pages) {
      const leave = await gate.enter(workspaceId, (why) =>
        why === 'own'
          ? tooMany('too_many_requests', 'Other lists of this workspace are still being read.')
          : tooMany('unavailable', 'Too many lists are being read; try again.'),
      );
      try {
        yield* pages;
      } finally {
        leave();
      }
    },
  };
}

function tooMany(code: 'too_many_requests' | 'unavailable', detail: string): AppError {
  return new AppError(code, detail, { retryAfterSeconds: 2 });
}
