import { time } from '@tocsin/contracts';
import { firstIdAt, highestId, type SecretBox } from '@tocsin/database';
import type { IdRange } from '@tocsin/deliveries';
import { invalidQuery } from '@tocsin/kit';

const pageQuery = {
  limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Maximum number of entries on a page.' },
  cursor: {
    type: 'string',
    minLength: 1,
    maxLength: 4096,
    description: 'Start of a page, from the `Link` header of the previous page.',
  },
  count: {
    type: 'boolean',
    description:
      'True: the header `X-Total-Count` contains the number of all entries that match the filters.',
  },
} as const;

/**
 * Maximum size of the content of a page, in bytes: 4 MiB. A list counts the part of its entries that can be large, such
 * as bodies or labels. The first entry is on the page even if it exceeds this size.
 */
export const maxPageBytes = 4 * 1_048_576;

const timeRangeQuery = {
  since: { ...time, description: 'Entries accepted at this time or later.' },
  until: { ...time, description: 'Entries accepted before this time.' },
} as const;

/** Creates the query schema of a list. `filters` are the schemas of its own parameters. */
export function listQuery<const F>(filters: F) {
  return { type: 'object', additionalProperties: false, properties: { ...filters, ...pageQuery } } as const;
}

/** Creates the query schema of a history, which has the additional parameters `since` and `until`. */
export function historyQuery<const F>(filters: F) {
  return listQuery({ ...filters, ...timeRangeQuery });
}

/** Creates the 200 response of a list. `items` is the schema of an entry. */
export function listResponse<const S>(description: string, items: S) {
  const headers = {
    Link: 'The next page, as `<…>; rel="next"` (RFC 8288); missing on the last page.',
    'X-Total-Count': 'With `count=true`: the number of entries on all pages; `10000+` if it is above 10,000.',
  };
  return { description, schema: { type: 'array', items }, headers } as const;
}

/** Request of a list: the path without the origin, and the whole query, including `limit` and `cursor`. */
export interface ListRequest {
  path: string;
  query: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
}

export interface HistoryRequest extends ListRequest {
  query: ListRequest['query'] & { limit?: number; since?: string; until?: string; count?: boolean };
}

interface HistoryReader<Row, Shown> {
  /** Reads the newest `limit` rows of the range. */
  read(page: { range: IdRange; limit: number }): Promise<Row[]>;
  /** Counts the rows of the range, up to `max`. */
  count(range: IdRange, max: number): Promise<number>;
  idOf(row: Row): string;
  present(row: Row): Shown;
  /**
   * Returns true for a row that does not fit on the page, because the page would exceed its byte limit with this row.
   * The next page starts with the first row that does not fit.
   */
  isBeyondBudget?(row: Row): boolean;
}

/** Counts the entries of a list on all pages, up to `max`. */
type Count = (max: number) => number | Promise<number>;

export interface Paging {
  /**
   * Returns the keyset position in the cursor of the request; undefined on the first page.
   * @throws AppError `validation_failed` for a cursor that this list has not created
   */
  positionOf(list: ListRequest): string[] | undefined;
  /**
   * Returns the first `limit` of `rows`, and the headers of the response. The headers contain the link to the next page
   * if there are more than `limit` rows, and the total if the request asks for it. `keyOf` returns a row's position.
   */
  page<Row>(
    list: ListRequest,
    rows: readonly Row[],
    options: { limit: number; keyOf: (row: Row) => string[]; count: Count },
  ): Promise<{ rows: Row[]; headers: Record<string, string> }>;
  /** Returns the header with the number of entries of the list, if the request asks for it. */
  totalOf(list: ListRequest, count: Count): Promise<Record<string, string>>;
  /** Responds with a page of a history, newest first. A page has at most 50 entries unless `limit` is given. */
  historyPage<Row, Shown>(
    list: HistoryRequest,
    reader: HistoryReader<Row, Shown>,
  ): Promise<{ status: 200; headers: Record<string, string>; body: Shown[] }>;
}

export interface PagingOptions {
  secretBox: SecretBox;
  /** Public URL of the API for absolute links. Links are relative if it is undefined or empty. */
  publicUrl?: string | undefined;
}

/**
 * Creates functions for keyset paging. A cursor is an encrypted position that is bound to its list. Clients can neither
 * read nor change a cursor, nor use it for another list. It stays valid while its encryption key is in SECRETS_KEYS.
 */
export function createPaging({ secretBox, publicUrl = '' }: PagingOptions): Paging {
  const paging: Paging = {
    positionOf(list) {
      const { cursor } = list.query;
      if (cursor === undefined) return undefined;
      try {
        return decryptCursor(secretBox, String(cursor), nameOf(list));
      } catch (cause) {
        const message = 'must be a cursor of this list, with the same filters';
        throw invalidQuery([{ path: 'cursor', message }], cause);
      }
    },

    async page(list, rows, { limit, keyOf, count }) {
      const kept = rows.slice(0, limit);
      const headers = await paging.totalOf(list, count);
      const last = kept.at(-1);
      if (rows.length <= limit || last === undefined) return { rows: kept, headers };
      const plain = JSON.stringify(keyOf(last));
      const cursor = secretBox.encrypt(plain, locationOf(nameOf(list))).toString('base64url');
      const target = `${publicUrl}${list.path}?${toQuery({ ...list.query, cursor })}`;
      return { rows: kept, headers: { ...headers, Link: `<${target}>; rel="next"` } };
    },

    async totalOf({ query }, count) {
      if (query.count !== true) return {};
      return { 'X-Total-Count': toTotal(await count(maxCounted + 1)) };
    },

    async historyPage(list, { read, count, idOf, present, isBeyondBudget = () => false }) {
      const { limit: wanted = 50 } = list.query;
      const range = idRange(list.query, paging.positionOf(list)?.[0]);
      const found = await read({ range, limit: wanted + 1 });
      const { rows, headers } = await paging.page(list, found, {
        limit: Math.min(wanted, found.filter((row) => !isBeyondBudget(row)).length),
        keyOf: (row) => [idOf(row)],
        count: (max) => count(idRange(list.query, undefined), max),
      });
      return { status: 200, headers, body: rows.map(present) };
    },
  };
  return paging;
}

/**
 * Returns the range of ids for a time range and a position. A time is a bound for ids, because the ids of a history
 * start with a time. The position is always within the time range, because a cursor is bound to the filters of its
 * list.
 */
function idRange({ since, until }: HistoryRequest['query'], after: string | undefined): IdRange {
  const from = firstIdAt(since === undefined ? 0 : Date.parse(since));
  return { from, below: after ?? (until === undefined ? highestId : firstIdAt(Date.parse(until))) };
}

/** Highest exact total. Larger numbers are not counted, because the time for a count grows with the history. */
const maxCounted = 10_000;

function toTotal(count: number): string {
  return count > maxCounted ? `${maxCounted}+` : String(count);
}

function decryptCursor(secretBox: SecretBox, cursor: string, list: string): string[] {
  const encrypted = Buffer.from(cursor, 'base64url');
  // The base64 decoder ignores invalid characters and unused bits. To find them, the decoded cursor is encoded again
  // and compared.
  if (encrypted.toString('base64url') !== cursor) throw new Error('The cursor is not base64url.');
  return JSON.parse(secretBox.decrypt(encrypted, locationOf(list)).toString('utf8'));
}

function locationOf(list: string) {
  return { workspaceId: null, table: 'cursors', id: list, column: 'position' };
}

/**
 * Returns the path and the query without `limit`, `cursor` and `count`. The result is the same for each page of a list.
 */
function nameOf({ path, query }: ListRequest): string {
  const { limit: _limit, cursor: _cursor, count: _count, ...rest } = query;
  return `${path}?${toQuery(rest)}`;
}

function toQuery(query: ListRequest['query']): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((item): [string, string] => [name, String(item)]),
    );
  return new URLSearchParams(pairs).toString();
}
