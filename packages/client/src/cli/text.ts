/**
 * Makes text from elsewhere safe to print on one line: a name or a response must not move the cursor, change colours or
 * set the title of the terminal.
 */
export function printable(text: string): string {
  return text.replaceAll(
    control,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Like `oneLine`, but keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(printable).join('\t'))
    .join('\n');
}

// Control characters and marks that change the direction of writing.
const control = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** ISO 8601 time in UTC with seconds, for tables. Other text is returned unchanged. */
export function shortTime(time: string): string {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) ? time.slice(0, 19).replace('T', ' ') : time;
}

/** Approximate width on a terminal: 2 for wide characters, 0 for combining marks. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += wide.test(character) ? 2 : zero.test(character) ? 0 : 1;
  return width;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const zero = /\p{Mn}|\p{Me}|\ufe0f|[\u200b-\u200d]/u;

/** Truncates a text to a number of cells, with an ellipsis. */
export function cutToWidth(text: string, cells: number): string {
  if (widthOf(text) <= cells) return text;
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character) > cells - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
