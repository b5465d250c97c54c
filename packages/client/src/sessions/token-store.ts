import type { Tokens } from './tokens.js';

/** Where a login is kept. */
export interface TokenStore {
  /**
   * Replaces what is kept by what `change` makes of it; undefined forgets it. Only one change runs at a time, in all
   * processes that share the store: a refresh token that is rotated must not be used twice.
   */
  update(change: (kept: Tokens | undefined) => Promise<Tokens | undefined>): Promise<Tokens | undefined>;
}

/** A login that ends with the process. */
export function createMemoryTokenStore(): TokenStore {
  let kept: Tokens | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    update(change) {
      const next = last.then(async () => {
        kept = await change(kept);
        return kept;
      });
      last = next.catch(() => {});
      return next;
    },
  };
}
