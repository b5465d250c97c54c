/**
 * Returns the index of the next occurrence of a string, searched from the index `from` in one direction; -1 if there is
 * none. The search takes linear time for every input. For hostile input, the time of the built-in `lastIndexOf` grows
 * with the product of the lengths of both strings. The time of `indexOf` also grows with this product if the search
 * string has more than 250 characters.
 */
export type Find = (from: number) => number;

/**
 * Maximum length, in UTF-16 units, of a search string for which JavaScript's own methods are used. They are faster for
 * short strings.
 */
const short = 16;

/** Returns a search for the first occurrence that starts at `from` or later. */
export function findForward(text: string, part: string): Find {
  if (part.length <= short) return (from) => text.indexOf(part, from);
  return createSearch(text, part, 1);
}

/** Returns a search for the last occurrence that ends at `end` or earlier. */
export function findBackward(text: string, part: string): Find {
  if (part.length > short) {
    const search = createSearch(text, part, -1);
    return (end) => search(end - 1);
  }
  return (end) => (end < part.length ? -1 : text.lastIndexOf(part, end - part.length));
}

export function includesText(text: string, part: string): boolean {
  return findForward(text, part)(0) >= 0;
}

/** Returns `text.split(part)` in linear time. The part must not be empty. */
export function partsBetween(text: string, part: string): string[] {
  if (part.length <= short) return text.split(part);
  const find = findForward(text, part);
  const parts: string[] = [];
  let start = 0;
  for (let at = find(0); at >= 0; at = find(start)) {
    parts.push(text.slice(start, at));
    start = at + part.length;
  }
  parts.push(text.slice(start));
  return parts;
}

/** Creates a search with the Knuth-Morris-Pratt algorithm. */
function createSearch(text: string, part: string, direction: 1 | -1): Find {
  if (part.length > text.length) return () => -1;
  const pattern = unitsOf(part, direction);
  const borders = bordersOf(pattern);
  return (from) => {
    let matched = 0;
    for (let index = from; index >= 0 && index < text.length; index += direction) {
      const unit = text.charCodeAt(index);
      while (matched > 0 && pattern[matched] !== unit) matched = borders[matched - 1]!;
      if (pattern[matched] === unit) matched++;
      if (matched === pattern.length) return direction === 1 ? index - matched + 1 : index;
    }
    return -1;
  };
}

function unitsOf(text: string, direction: 1 | -1): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  return direction === 1 ? units : units.reverse();
}

/** Returns the failure table: for each prefix, the length of its longest proper prefix that is also its suffix. */
function bordersOf(pattern: Uint16Array): Int32Array {
  const borders = new Int32Array(pattern.length);
  let matched = 0;
  for (let index = 1; index < pattern.length; index++) {
    while (matched > 0 && pattern[index] !== pattern[matched]) matched = borders[matched - 1]!;
    if (pattern[index] === pattern[matched]) matched++;
    borders[index] = matched;
  }
  return borders;
}
