/**
 * Finding text in text in linear time. JavaScript's own search is naive from the right, and from the left compares
 * only the last 250 units of a long part cleverly: a text made for it costs their product.
 */
export type Find = (from: number) => number;

/** Up to that many units the product is as good as linear, and the engine's search is the faster one. */
const short = 16;

/** Where `part` stands next in `text`, beginning at `from` or behind it; -1 where it does not. */
export function findForward(text: string, part: string): Find {
  if (part.length <= short) return (from) => text.indexOf(part, from);
  return createSearch(text, part, 1);
}

/** Where `part` stands last in `text`, ending at `end` or before it; -1 where it does not. */
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

/** `text.split(part)`; of a part that is not empty. */
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

/** Knuth, Morris and Pratt's: no unit of the text is looked at more than twice. */
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
  const units = Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return direction === 1 ? units : units.reverse();
}

/** For each beginning of the pattern, how long a shorter beginning is that it also ends with. */
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
