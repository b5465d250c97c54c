import type { TestApi } from './api.js';
import type { Role } from './tokens.js';

/** The target of the next page, where a list's `Link` names one. */
export function nextOf(headers: Headers): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
}

/** Follows `Link` to the end; every entry in its order, and how many pages it took. */
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
