import { ConnectionError } from './errors.js';
import type { ApiRequest, ApiResponse, Send } from './transport.js';

/**
 * Template tag that percent-encodes the values of a path: `` path`/webhooks/${id}` ``.
 * @throws TypeError for an empty value, `.` and `..`, because these would change the path, and for a lone surrogate,
 * which cannot be encoded
 */
export function path(texts: TemplateStringsArray, ...values: string[]): string {
  return texts.reduce((built, text, index) => built + encode(values[index - 1] ?? '') + text);
}

function encode(value: string): string {
  if (value === '' || value === '.' || value === '..')
    throw new TypeError(`${JSON.stringify(value)} is not an id.`);
  if (!value.isWellFormed()) throw new TypeError('An id must not contain a lone surrogate.');
  return encodeURIComponent(value);
}

/** A resource with the ETag of the version in the response. Pass the ETag as `ifMatch` of a later change. */
export type Tagged<Resource> = Resource & { etag: string };

/** Sends a request. Returns the resource in the response with the ETag, which is empty if the response has none. */
export async function sendTagged<Resource extends object>(
  send: Send,
  request: ApiRequest,
): Promise<Tagged<Resource>> {
  const { body, headers } = await send<Resource>(request);
  return { ...body, etag: headers.get('etag') ?? '' };
}

/** A part of a list. */
export interface Page<T> {
  items: T[];
  /** Fetches the next page. After an error it can be called again. Undefined if no entries follow. */
  next: (() => Promise<Page<T>>) | undefined;
}

/** A list that fetches its pages while a loop reads them. A second loop over the list fetches all pages again. */
export interface Paged<T> extends AsyncIterable<T> {
  firstPage(): Promise<Page<T>>;
  toArray(): Promise<T[]>;
  /** Counts the entries of all pages, with one request. */
  count(): Promise<ListTotal>;
}

/** Number of entries of a list. */
export interface ListTotal {
  count: number;
  /** True if the list has more than `count` entries: the API stops counting at 10,000. */
  isMore: boolean;
}

/** Creates a list whose pages a GET operation returns. The header `Link` of a page names the next page (RFC 8288). */
export function createPaged<T>(send: Send, request: Omit<ApiRequest, 'method'>): Paged<T> {
  const fetchPage = async (query: object | undefined): Promise<Page<T>> => {
    const response: ApiResponse<T[]> = await send({ ...request, method: 'GET', query });
    if (!Array.isArray(response.body)) {
      throw new ConnectionError(
        'invalid_response',
        'The response is not a list. Check that the address is the API’s.',
      );
    }
    const cursor = nextCursor(response.headers.get('link'));
    const next = cursor === undefined ? undefined : () => fetchPage({ ...request.query, cursor });
    return { items: response.body, next };
  };
  const firstPage = () => fetchPage(request.query);
  async function* items(): AsyncGenerator<T> {
    for (let page: Page<T> | undefined = await firstPage(); page; page = await page.next?.())
      yield* page.items;
  }
  return {
    firstPage,
    [Symbol.asyncIterator]: items,
    async toArray() {
      const all: T[] = [];
      for (let page: Page<T> | undefined = await firstPage(); page; page = await page.next?.())
        all.push(...page.items);
      return all;
    },
    async count() {
      const query = { ...request.query, limit: 1, count: true };
      const { headers } = await send<T[]>({ ...request, method: 'GET', query });
      return parseTotal(headers.get('x-total-count'));
    },
  };
}

function parseTotal(header: string | null): ListTotal {
  const [, digits, more] = /^(\d+)(\+?)$/.exec(header ?? '') ?? [];
  if (digits === undefined)
    throw new ConnectionError('invalid_response', 'The response has no number of entries.');
  return { count: Number(digits), isMore: more === '+' };
}

/**
 * Returns the cursor in the link to the next page. The address of the link is ignored: it can be wrong behind a proxy,
 * and the token must not be sent to an address from a response.
 */
function nextCursor(link: string | null): string | undefined {
  for (const [, target = '', parameters = ''] of (link ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (!/;\s*rel="?next"?/i.test(parameters)) continue;
    return new URL(target, 'http://relative.invalid').searchParams.get('cursor') ?? undefined;
  }
  return undefined;
}
