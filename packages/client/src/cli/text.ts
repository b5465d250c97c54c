export type Color = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/**
 * Makes text from elsewhere safe to print on one line: a name or a response must not move the cursor, change colours or
 * set the title of the terminal.
 */
export function printable(text: string): string {
  return text.replaceAll(unsafe, escapeUnits);
}

/** Like `printable`, but keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(unsafe, (found) => (/[\n\t]/.test(found) ? found : escapeUnits(found)));
}

/** JSON in which every character that `printable` escapes is escaped too. It parses to the same value. */
export function printableJson(value: unknown, indent?: number): string {
  // Line breaks can stay: JSON.stringify escapes those inside strings, so the rest belong to the indentation.
  return printableLines(JSON.stringify(value, null, indent));
}

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, and invisible format characters, among them the marks
 * that change the direction of writing. The two joiners stay, because scripts and emoji need them.
 */
const unsafe = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes as JSON does: one `\\uXXXX` for each UTF-16 code unit. */
function escapeUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

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
