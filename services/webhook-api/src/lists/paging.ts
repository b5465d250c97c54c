import type { SecretBox } from '@tocsin/database';
import { AppError } from '@tocsin/kit';

/** Members of every list's query: spread them into `properties`. */
export const pageQuery = {
  limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Entries a page.' },
  cursor: {
    type: 'string',
    minLength: 1,
    maxLength: 4096,
    description: 'Where a page begins; taken from the `Link` of the page before, never made up.',
  },
} as const;

/** How a list is answered; `items` is the schema of an entry. */
export function listResponse<const S>(description: string, items: S) {
  const headers = { Link: 'The next page, as `<…>; rel="next"` (RFC 8288); missing on the last page.' };
  return { description, schema: { type: 'array', items }, headers } as const;
}

/** One list: its path below the origin, and all of its query, `limit` and `cursor` included. */
export interface ListRequest {
  path: string;
  query: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
}

export interface Paging {
  /**
   * The keyset position that the request's cursor stands for; undefined on the first page.
   * @throws AppError `validation_failed` for a cursor that we did not make, or made for another list.
   */
  positionOf(list: ListRequest): string[] | undefined;
  /**
   * Cuts `rows`, read with a limit of one more than `limit`, to a page and names the next one. `keyOf` gives the
   * position of a row: what `positionOf` gives back on the next request.
   */
  page<Row>(
    list: ListRequest,
    rows: readonly Row[],
    options: { limit: number; keyOf: (row: Row) => string[] },
  ): { rows: Row[]; headers: Record<string, string> };
}

/**
 * Keyset paging. A cursor is a position encrypted for its list, so that it cannot be read, changed or used elsewhere;
 * rotating the keys does not break it.
 */
export function createPaging({
  secretBox,
  publicUrl = '',
}: {
  secretBox: SecretBox;
  /** The API's own address without a path, for absolute links; without it they are relative. */
  publicUrl?: string | undefined;
}): Paging {
  return {
    positionOf(list) {
      const { cursor } = list.query;
      if (cursor === undefined) return undefined;
      try {
        return openCursor(secretBox, String(cursor), nameOf(list));
      } catch (cause) {
        throw new AppError('validation_failed', 'The query is not valid.', {
          errors: [{ path: 'cursor', message: 'must be one that this list gave, with the same filters' }],
          cause,
        });
      }
    },
    page(list, rows, { limit, keyOf }) {
      const kept = rows.slice(0, limit);
      const last = kept.at(-1);
      if (rows.length <= limit || last === undefined) return { rows: kept, headers: {} };
      const plain = JSON.stringify(keyOf(last));
      const cursor = secretBox.encrypt(plain, cursorLocation(nameOf(list))).toString('base64url');
      const target = `${publicUrl}${list.path}?${toQuery({ ...list.query, cursor })}`;
      return { rows: kept, headers: { Link: `<${target}>; rel="next"` } };
    },
  };
}

function openCursor(secretBox: SecretBox, cursor: string, list: string): string[] {
  const encrypted = Buffer.from(cursor, 'base64url');
  // Decoding skips what is not base64url and the spare bits of the last character.
  if (encrypted.toString('base64url') !== cursor) throw new Error('The cursor is not base64url.');
  return JSON.parse(secretBox.decrypt(encrypted, cursorLocation(list)).toString('utf8'));
}

function cursorLocation(list: string) {
  return { table: 'cursors', id: list, column: 'position' };
}

/** The same for every page of one list. */
function nameOf({ path, query }: ListRequest): string {
  const { limit: _limit, cursor: _cursor, ...rest } = query;
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
