import type { Tokens } from './tokens.js';

/** Storage of a login. */
export interface TokenStore {
  /**
   * Replaces the stored login with the result of `change`. Undefined deletes its tokens. Only one change runs at a time
   * in all processes that share the store, because a refresh token may be valid for one use only.
   */
  update(change: (stored: Tokens | undefined) => Promise<Tokens | undefined>): Promise<Tokens | undefined>;
}

/** Creates a store in memory. The login is lost when the process ends. */
export function createMemoryTokenStore(): TokenStore {
  let stored: Tokens | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    update(change) {
      const next = last.then(async () => {
        stored = await change(stored);
        return stored;
      });
      last = next.catch(() => {});
      return next;
    },
  };
}
