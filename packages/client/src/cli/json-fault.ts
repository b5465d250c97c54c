export interface JsonFault {
  /** What would have been right there. */
  message: string;
  /** Counted from 1. */
  line: number;
  column: number;
  /** The line, and below it a mark at the column; a long line is cut around it. */
  excerpt: string;
}

/** Where a text stops being JSON (RFC 8259); undefined where it is JSON. Nesting costs no stack. */
export function findJsonFault(text: string): JsonFault | undefined {
  const fault = scan(text);
  if (fault === undefined) return undefined;
  const start = text.lastIndexOf('\n', fault.offset - 1) + 1;
  const end = text.indexOf('\n', fault.offset);
  const line = text.slice(0, start).split('\n').length;
  const before = fault.offset - start;
  const shown = excerptOf(text.slice(start, end === -1 ? text.length : end), before);
  return { message: fault.message, line, column: before + 1, excerpt: shown };
}

interface Fault {
  offset: number;
  message: string;
}

type State = keyof typeof expected;

const expected = {
  value: 'a value is expected',
  first: 'a value or ] is expected',
  key: 'a name in double quotes is expected',
  firstKey: 'a name in double quotes or } is expected',
  colon: ': is expected',
  comma: ', or ] is expected',
  commaOrBrace: ', or } is expected',
  end: 'nothing more is expected',
} as const;

const blank = /[ \t\n\r]*/y;
const plain = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const stringPart = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function scan(text: string): Fault | undefined {
  const open: ('[' | '{')[] = [];
  let state: State = 'value';
  let offset = 0;
  const afterValue = (): State => {
    const container = open.at(-1);
    return container === undefined ? 'end' : container === '[' ? 'comma' : 'commaOrBrace';
  };
  for (;;) {
    offset = match(blank, { text, offset }) ?? offset;
    if (offset >= text.length) return state === 'end' ? undefined : { offset, message: expected[state] };
    const character = text.charAt(offset);
    const closes = closing(state) === character;
    const takesValue: boolean = state === 'value' || state === 'first';
    if (closes) {
      open.pop();
      state = afterValue();
      offset += 1;
    } else if (takesValue && (character === '[' || character === '{')) {
      open.push(character);
      state = character === '[' ? 'first' : 'firstKey';
      offset += 1;
    } else if (character === '"' && (takesValue || state === 'key' || state === 'firstKey')) {
      const string = scanString(text, offset);
      if (!string.closed) return { offset: string.offset, message: 'the string is not right here' };
      offset = string.offset;
      state = takesValue ? afterValue() : 'colon';
    } else if (character === ':' && state === 'colon') {
      state = 'value';
      offset += 1;
    } else if (character === ',' && (state === 'comma' || state === 'commaOrBrace')) {
      state = state === 'comma' ? 'value' : 'key';
      offset += 1;
    } else {
      const end = takesValue ? match(plain, { text, offset }) : undefined;
      if (end === undefined) return { offset, message: expected[state] };
      offset = end;
      state = afterValue();
    }
  }
}

function closing(state: State): ']' | '}' | undefined {
  if (state === 'first' || state === 'comma') return ']';
  return state === 'firstKey' || state === 'commaOrBrace' ? '}' : undefined;
}

function scanString(text: string, start: number): { offset: number; closed: boolean } {
  let offset = start + 1;
  for (;;) {
    const end = match(stringPart, { text, offset });
    if (end === undefined) break;
    offset = end;
  }
  return text.charAt(offset) === '"' ? { offset: offset + 1, closed: true } : { offset, closed: false };
}

/** Where a match that begins at `offset` ends. */
function match(pattern: RegExp, { text, offset }: { text: string; offset: number }): number | undefined {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const shownBefore = 60;
const shownAfter = 40;

function excerptOf(line: string, column: number): string {
  const from = Math.max(0, column - shownBefore);
  const lead = `${from > 0 ? '…' : ''}${line.slice(from, column)}`;
  const rest = line.slice(column, column + shownAfter);
  const tail = line.length > column + shownAfter ? '…' : '';
  return `${lead}${rest}${tail}\n${lead.replaceAll(/[^\t]/g, ' ')}^`;
}
