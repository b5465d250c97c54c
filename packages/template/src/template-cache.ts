import type { CompileResult } from './compile-template.js';

/**
 * A compiled template uses up to 100 bytes for each character of its source, so the cache uses at most 100 MB. A usual
 * template uses 30 bytes for each character, so 1,000 templates of 1,000 characters use 30 MB.
 */
const defaultMaxCharacters = 1_000_000;
const defaultMaxEntries = 2_000;

export interface TemplateCache {
  /** Compiles a source or returns the cached result. Compile errors are cached as well. */
  compile(source: string): CompileResult;
  readonly size: number;
}

/** Creates a cache of compiled templates by source. A full cache drops the least recently used template. */
export function createTemplateCache(
  compile: (source: string) => CompileResult,
  { maxEntries = defaultMaxEntries, maxCharacters = defaultMaxCharacters } = {},
): TemplateCache {
  const results = new Map<string, CompileResult>();
  let characters = 0;
  const evict = () => {
    for (const source of results.keys()) {
      if (results.size <= maxEntries && characters <= maxCharacters) return;
      results.delete(source);
      characters -= source.length;
    }
  };
  return {
    compile(source) {
      const known = results.get(source);
      if (known !== undefined) {
        results.delete(source);
        results.set(source, known);
        return known;
      }
      const result = compile(source);
      results.set(source, result);
      characters += source.length;
      evict();
      return result;
    },
    get size() {
      return results.size;
    },
  };
}
