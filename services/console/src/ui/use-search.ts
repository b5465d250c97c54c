import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';

export interface Search<Name extends string> {
  values: Partial<Record<Name, string>>;
  /** Replaces the given members; undefined removes one. */
  set(changes: Partial<Record<Name, string | undefined>>): void;
}

/** Filters of a page, which are in the address. `names` must be a constant. */
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
      // Typing in a field must not fill the history: only a filter that is added or removed is a step of its own.
      setParams(next, { replace: entries.every(([name, value]) => Boolean(value) && params.has(name)) });
    },
    [params, setParams],
  );
  return { values, set };
}
