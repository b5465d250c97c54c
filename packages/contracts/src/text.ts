import type { Fault } from './check.js';

/**
 * Finds text that cannot be stored or sent on faithfully: NUL characters, which PostgreSQL refuses, and lone
 * surrogates, which have no UTF-8 form. Looks at keys and values, without recursion, so that deep nesting is harmless.
 */
export function findBadText(value: unknown): Fault | undefined {
  return hasBadText(value) ? locateBadText(value) : undefined;
}

/** Nearly every value is good: what only the place of a fault needs, paths and lists of members, is not made for it. */
function hasBadText(value: unknown): boolean {
  const open: unknown[] = [value];
  // Of numbers a message can have half a million.
  const consider = (child: unknown) => {
    if (typeof child === 'string' || typeof child === 'object') open.push(child);
  };
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item === 'string') {
      if (badText(item) !== undefined) return true;
    } else if (typeof item === 'object' && item !== null) {
      // An array's indexes are no names: made text, they would cost more than all the rest.
      if (Array.isArray(item)) for (const child of item) consider(child);
      else
        for (const key in item) {
          if (badText(key) !== undefined) return true;
          consider((item as Record<string, unknown>)[key]);
        }
    }
  }
  return false;
}

function locateBadText(value: unknown): Fault | undefined {
  const open: [string, unknown][] = [['', value]];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [path, item] = entry;
    if (typeof item === 'string') {
      const message = badText(item);
      if (message !== undefined) return { path: shown(path), message };
    } else if (typeof item === 'object' && item !== null) {
      for (const [key, child] of Object.entries(item)) {
        const message = badText(key);
        if (message !== undefined) return { path: shown(path), message: `has a name that ${message}` };
        open.push([`${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, child]);
      }
    }
  }
  return undefined;
}

const maxPathCharacters = 500;

/** Names and nesting are a stranger's: a path as long as the message must not be stored and listed beside it. */
function shown(path: string): string {
  return path.length > maxPathCharacters ? `${path.slice(0, maxPathCharacters).toWellFormed()}…` : path;
}

function badText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character';
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  return undefined;
}
