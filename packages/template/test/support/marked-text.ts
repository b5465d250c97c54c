/**
 * Reads a text of a test in which `▸` marks a place. Offset, line and column are those of the character after the mark.
 */
export function readMarked(marked: string) {
  const offset = marked.indexOf('▸');
  if (offset < 0) throw new Error(`no mark in ${marked}`);
  const before = marked.slice(0, offset).split('\n');
  return {
    text: marked.replace('▸', ''),
    offset,
    line: before.length,
    column: (before.at(-1) ?? '').length + 1,
  };
}
