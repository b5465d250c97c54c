import type { TestApi } from './api.js';
import type { Role } from './tokens.js';

/** Returns the URL of the next page from the `Link` header. */
export function nextOf(headers: Headers): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
}

/** Reads all pages of a list. Returns the entries in order and the number of pages. */
export async function readAll<Entry>(
  api: TestApi,
  path: string,
  { as = 'reader', betweenPages }: { as?: Role; betweenPages?: () => Promise<unknown> } = {},
): Promise<{ entries: Entry[]; pages: number }> {
  const entries: Entry[] = [];
  let pages = 0;
  for (let next: string | undefined = path; next !== undefined; pages += 1) {
    const { status, headers, body } = await api.call<Entry[]>('GET', next, { as });
    expect(status).toBe(200);
    entries.push(...body);
    next = nextOf(headers);
    if (next !== undefined) await betweenPages?.();
  }
  return { entries, pages };
}
