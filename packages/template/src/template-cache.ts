import type { CompileResult } from './compile-template.js';

/** Sources together with what they hold compiled are roughly this times 100. */
const defaultMaxCharacters = 4_000_000;
const defaultMaxEntries = 2_000;

export interface TemplateCache {
  /** The template of that source, compiled at most once while it stays in the cache; failures are kept too. */
  compile(source: string): CompileResult;
  readonly size: number;
}

/** Compiled templates by their content, the least recently used dropped first. */
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
