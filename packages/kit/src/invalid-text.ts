import type { FieldError } from './app-error.js';
import { escapePointer } from './json-pointer.js';

/**
 * Searches a parsed JSON value and its member names for text that cannot be stored or forwarded: NUL characters, which
 * PostgreSQL rejects, and lone surrogates, which have no UTF-8 form. The search is iterative, so deep nesting cannot
 * overflow the stack.
 */
export function findInvalidText(value: unknown): FieldError | undefined {
  return containsInvalidText(value) ? locateInvalidText(value) : undefined;
}

/**
 * Returns true if a value contains invalid text. Most values are valid, so this check is fast: it builds no paths and
 * no lists of entries.
 */
function containsInvalidText(value: unknown): boolean {
  const open: unknown[] = [value];
  // Numbers are skipped for speed: a message can contain half a million of them.
  const consider = (child: unknown) => {
    if (typeof child === 'string' || typeof child === 'object') open.push(child);
  };
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item === 'string') {
      if (problemOf(item) !== undefined) return true;
    } else if (typeof item === 'object' && item !== null) {
      // Array indexes are not checked. Converting them to text would take longer than the rest of the search.
      if (Array.isArray(item)) for (const child of item) consider(child);
      else
        for (const key in item) {
          if (problemOf(key) !== undefined) return true;
          consider((item as Record<string, unknown>)[key]);
        }
    }
  }
  return false;
}

function locateInvalidText(value: unknown): FieldError | undefined {
  const open: [string, unknown][] = [['', value]];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [path, item] = entry;
    if (typeof item === 'string') {
      const message = problemOf(item);
      if (message !== undefined) return { path: truncate(path), message };
    } else if (typeof item === 'object' && item !== null) {
      for (const [key, child] of Object.entries(item)) {
        const message = problemOf(key);
        if (message !== undefined) return { path: truncate(path), message: `has a name that ${message}` };
        open.push([`${path}/${escapePointer(key)}`, child]);
      }
    }
  }
  return undefined;
}

const maxPathCharacters = 500;

/**
 * Limits the length of a path. The sender of a value controls its names and nesting, so an unlimited path could be as
 * long as the message.
 */
function truncate(path: string): string {
  return path.length > maxPathCharacters ? `${path.slice(0, maxPathCharacters).toWellFormed()}…` : path;
}

function problemOf(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character';
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  return undefined;
}
