export type Color = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

/**
 * Escapes control characters, so that text from a user or a destination cannot start a line, move the cursor, change
 * colours or set the title of the terminal.
 */
export function printable(text: string): string {
  return text.replaceAll(unsafe, escapeUnits);
}

/** Escapes control characters like `printable`, but keeps line breaks and tabs. CRLF becomes LF. */
export function printableLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(unsafe, (found) => (/[\n\t]/.test(found) ? found : escapeUnits(found)));
}

/** Converts a value to JSON without characters that `printable` escapes. The JSON still parses to the same value. */
export function printableJson(value: unknown, indent?: number): string {
  // JSON.stringify escapes line breaks within strings. All other line breaks are indentation and are kept.
  return printableLines(JSON.stringify(value, null, indent));
}

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, and invisible format characters such as those that
 * change the writing direction. U+200C and U+200D (joiners) are not escaped, because some scripts and emoji need them.
 */
const unsafe = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Replaces each UTF-16 code unit by its JSON escape, such as `\u001b`. */
function escapeUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Formats an ISO 8601 time in UTC for tables: `2026-01-31 12:00:00`. Other text is returned unchanged. */
export function shortTime(time: string): string {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) ? time.slice(0, 19).replace('T', ' ') : time;
}

/**
 * Returns the approximate width of a text on a terminal, in cells. A wide character takes two cells, a combining mark
 * none.
 */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += wide.test(character) ? 2 : zero.test(character) ? 0 : 1;
  return width;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const zero = /\p{Mn}|\p{Me}|\ufe0f|[\u200b-\u200d]/u;

/** Truncates a text to a width in terminal cells, with an ellipsis at the end. */
export function cutToWidth(text: string, cells: number): string {
  if (widthOf(text) <= cells) return text;
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character) > cells - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
