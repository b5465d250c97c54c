import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';

export interface Search<Name extends string> {
  values: Partial<Record<Name, string>>;
  /** Changes the given filters; undefined removes a filter. */
  set(changes: Partial<Record<Name, string | undefined>>): void;
}

/**
 * Reads and changes the filters in the address of the page. `names` must be the same array in each render, because a
 * new array would create a new result each time.
 */
export function useSearch<Name extends string>(names: readonly Name[]): Search<Name> {
  const [params, setParams] = useSearchParams();
  const values = useMemo(() => {
    const present = names.map((name) => [name, params.get(name)] as const).filter(([, value]) => value);
    return Object.fromEntries(present) as Partial<Record<Name, string>>;
  }, [names, params]);
  const set = useCallback(
    (changes: Partial<Record<Name, string | undefined>>) => {
      const entries = Object.entries<string | undefined>(changes);
      const next = new URLSearchParams(params);
      for (const [name, value] of entries) {
        if (value === undefined || value === '') next.delete(name);
        else next.set(name, value);
      }
      // Only adding or removing a filter creates a history entry, so that typing does not fill the browser history.
      const replace = entries.every(([name, value]) => Boolean(value) && params.has(name));
      setParams(next, { replace, preventScrollReset: true });
    },
    [params, setParams],
  );
  return { values, set };
}
