import { ConnectionError } from './errors.js';
import type { ApiRequest, ApiResponse, Send } from './transport.js';

/** A list that is fetched page by page while it is read. Reading it again fetches it again. */
export interface Paged<T> extends AsyncIterable<T> {
  pages(): AsyncIterable<T[]>;
  toArray(): Promise<T[]>;
}

/** The list behind a GET. The next page is named by the response's `Link` header (RFC 8288). */
export function createPaged<T>(send: Send, request: Omit<ApiRequest, 'method'>): Paged<T> {
  async function* pages(): AsyncGenerator<T[]> {
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? request.query : { ...request.query, cursor };
      const response: ApiResponse<T[]> = await send({ ...request, method: 'GET', query });
      if (!Array.isArray(response.body)) {
        throw new ConnectionError(
          'invalid_response',
          'The response is not a list. Check that the address is the API’s.',
        );
      }
      yield response.body;
      cursor = nextCursor(response.headers.get('link'));
    } while (cursor !== undefined);
  }
  async function* items(): AsyncGenerator<T> {
    for await (const page of pages()) yield* page;
  }
  return {
    pages,
    [Symbol.asyncIterator]: items,
    async toArray() {
      const all: T[] = [];
      for await (const page of pages()) all.push(...page);
      return all;
    },
  };
}

/**
 * Only the cursor is taken from the link: its address is the API's as others reach it, and a token must not go where an
 * answer says.
 */
function nextCursor(link: string | null): string | undefined {
  for (const [, target = '', parameters = ''] of (link ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?next"?/i.test(parameters)) continue;
    return new URL(target, 'http://relative.invalid').searchParams.get('cursor') ?? undefined;
  }
  return undefined;
}
