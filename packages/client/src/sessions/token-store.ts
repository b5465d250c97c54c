import type { Tokens } from './tokens.js';

/** Storage of a login. */
export interface TokenStore {
  /**
   * Replaces the stored login by the result of `change`. Undefined deletes it. Changes are serialized across all
   * processes that share the store, because a rotated refresh token must not be used twice.
   */
  update(change: (kept: Tokens | undefined) => Promise<Tokens | undefined>): Promise<Tokens | undefined>;
}

/** Store in memory: the login ends with the process. */
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
