import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';

export interface Search<Name extends string> {
  values: Partial<Record<Name, string>>;
  /** Changes the given filters. An undefined or empty value removes a filter. */
  set(changes: Partial<Record<Name, string | undefined>>): void;
}

/**
 * Returns the filters in the address of the page, and a function that changes them. `names` must be the same array in
 * each render, because the result is computed again for a new array.
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
      // An entry in the browser history is created only when a filter is added or removed. A changed value replaces the
      // latest entry, so that typing does not fill the history.
      const replace = entries.every(([name, value]) => Boolean(value) && params.has(name));
      setParams(next, { replace, preventScrollReset: true });
    },
    [params, setParams],
  );
  return { values, set };
}
