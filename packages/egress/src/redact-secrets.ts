import { groupBy } from '@tocsin/kit';

/**
 * Replaces the secrets of a request in text that its destination sent. `isCut` is true if the text may end within a
 * secret.
 */
export type RedactSecrets = (text: string, options: { isCut: boolean }) => string;

const replacement = '[redacted]';
const minHeaderCharacters = 8;
const minUrlCharacters = 16;
/**
 * Minimum length of a decoded part of the URL. Sixteen encoded characters can be two decoded ones, which could occur in
 * any response.
 */
const minDecodedCharacters = 8;
/**
 * Minimum length of a token after `Basic` or `Bearer` that is redacted. A shorter token could occur in ordinary
 * words.
 */
const minTokenCharacters = 4;
/**
 * Maximum number of encoded secrets to search for. Each secret has 6 to 40 encodings. If the number is higher, the
 * whole response is replaced, because the search would take too long.
 */
const maxForms = 1_000;
/**
 * Number of characters at the start of an encoded secret for which the regular expression searches. The rest of the
 * encoded secret is compared after a match.
 */
const startCharacters = 64;

/**
 * Creates a function that redacts three kinds of secrets: header values of at least 8 characters (except those of
 * `Content-Type` and `Accept`), tokens of at least 4 characters after `Basic` or `Bearer` in these values, and path
 * segments and query values of the URL with at least 16 characters (and at least 8 decoded ones). It finds each secret
 * in several encodings, such as percent-encoded, JSON-escaped and in base64. For an encoded secret with more than 64
 * characters, a match of the first 64 is sufficient. The text is then redacted up to the first character that differs
 * from the encoded secret. The regular expression is built when the first text is redacted.
 */
export function createRedactSecrets(request: {
  url: string;
  headers: Record<string, string[]>;
}): RedactSecrets {
  let finder: Finder | 'too many forms' | undefined;
  return (text, { isCut }) => {
    if (text === '') return text;
    finder ??= createFinder(request);
    return finder === 'too many forms' ? replacement : redact(text, finder, isCut);
  };
}

interface Finder {
  pattern: RegExp;
  /** The encoded secrets, by their first 64 characters. The pattern finds these characters in a text. */
  byStart: Map<string, string[]>;
  shortest: number;
}

function createFinder(request: Parameters<typeof createRedactSecrets>[0]): Finder | 'too many forms' {
  const forms = [...new Set([...secretsOf(request)].flatMap(formsOf))];
  if (forms.length > maxForms) return 'too many forms';
  const byStart = groupBy(forms, (form) => form.slice(0, startCharacters));
  const starts = [...byStart.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(starts.map(escapeForPattern).join('|'), 'g');
  return { pattern, byStart, shortest: starts.at(-1)?.length ?? 0 };
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function redact(text: string, { pattern, byStart, shortest }: Finder, isCut: boolean): string {
  if (byStart.size === 0 || (text.length < shortest && !isCut)) return text;
  const partAt = isCut ? startOfPart(text, [...byStart.keys()]) : text.length;
  let shown = '';
  let at = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null && match.index < partAt; match = pattern.exec(text)) {
    const { index, 0: start } = match;
    shown += text.slice(at, index) + replacement;
    at = Math.max(...byStart.get(start)!.map((form) => endOfForm(text, index, form)));
    pattern.lastIndex = at;
  }
  const end = Math.max(at, partAt);
  shown += text.slice(at, end);
  return end < text.length ? shown + replacement : shown;
}

/**
 * Compares the text from `index` on with `form`, an encoded secret. Returns the index of the first character that
 * differs, or the end of `form` in the text. The first 64 characters are already known to be equal.
 */
function endOfForm(text: string, index: number, form: string): number {
  let length = Math.min(startCharacters, form.length);
  while (length < form.length && text[index + length] === form[length]) length += 1;
  return index + length;
}

/**
 * Finds the beginning of an encoded secret at the end of a cut text. Only beginnings that are shorter than 64
 * characters and shorter than the encoded secret are searched, because the pattern finds all others. Returns the
 * smallest index from which the rest of the text is such a beginning, or the length of the text if there is none.
 */
function startOfPart(text: string, starts: string[]): number {
  return text.length - Math.max(...starts.map((start) => lengthOfPart(text, start)));
}

/**
 * Returns the length of the longest part of `start`, from its first character on, with which the text ends. All of
 * `start` does not count. The time grows linearly with the length of `start`, because a destination can choose a text
 * that is slow to compare.
 */
function lengthOfPart(text: string, start: string): number {
  const end = text.slice(Math.max(0, text.length - start.length + 1));
  const lengths = borderLengths(start + end);
  let length = lengths.at(-1)!;
  while (length > end.length) length = lengths[length - 1]!;
  return length;
}

/**
 * Returns for each start of a text the length of its longest border: a shorter text with which it both begins and ends
 * (the prefix function of the algorithm of Knuth, Morris and Pratt).
 */
function borderLengths(text: string): Uint32Array {
  const lengths = new Uint32Array(text.length);
  for (let at = 1; at < text.length; at += 1) {
    let length = lengths[at - 1]!;
    while (length > 0 && text[at] !== text[length]) length = lengths[length - 1]!;
    lengths[at] = text[at] === text[length] ? length + 1 : 0;
  }
  return lengths;
}

function secretsOf({ url, headers }: { url: string; headers: Record<string, string[]> }): Set<string> {
  const secrets = new Set<string>();
  for (const [name, values] of Object.entries(headers)) {
    if (['content-type', 'accept'].includes(name.toLowerCase())) continue;
    for (const value of values.map((text) => text.trim())) {
      if (value.length < minHeaderCharacters) continue;
      secrets.add(value);
      const token = /^(?:basic|bearer)\s+(\S.*)$/i.exec(value)?.[1];
      if (token !== undefined && token.length >= minTokenCharacters) secrets.add(token);
    }
  }
  for (const part of partsOf(url)) {
    if (part.length < minUrlCharacters) continue;
    secrets.add(part);
    const decoded = decode(part);
    if (decoded.length >= minDecodedCharacters) secrets.add(decoded);
  }
  return secrets;
}

function partsOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { pathname, search } = new URL(url);
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [...pathname.split('/'), ...values, ...values.map((value) => value.replaceAll('+', ' '))];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Returns a secret in all encodings to search for. A header is sent as Latin-1, but a destination that repeats it in a
 * response usually reads it as UTF-8, so both interpretations of the bytes are included. A part of the URL can have
 * characters that Latin-1 does not have.
 */
function formsOf(secret: string): string[] {
  const latin1 = isLatin1.test(secret) ? [Buffer.from(secret, 'latin1')] : [];
  const escaped = escapeForJson(secret);
  return [
    ...[secret, ...latin1.map(String), escaped].flatMap(jsonForms),
    ...percentForms(secret),
    ...[Buffer.from(secret), ...latin1, Buffer.from(escaped)].flatMap(base64Forms),
  ];
}

const isLatin1 = /^[\0-\xff]*$/;

function escapeForJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Returns the percent-encoded texts of a secret: as a URL component with upper-case and lower-case hex digits, as part
 * of a whole URL, and as a field of an HTML form.
 */
function percentForms(secret: string): string[] {
  const text = secret.toWellFormed();
  const component = encodeURIComponent(text);
  const form = new URLSearchParams([['', text]]).toString().slice(1);
  return [component, component.replace(/%../g, (octet) => octet.toLowerCase()), encodeURI(text), form];
}

/** Returns the text itself, and the text as JavaScript, PHP, Python, Go and .NET escape it in JSON. */
function jsonForms(text: string): string[] {
  const escaped = escapeForJson(text);
  const slashes = escaped.replaceAll('/', '\\/');
  return [
    text,
    escaped,
    slashes,
    escapeUnicode(escaped, /[^ -~]/g),
    escapeUnicode(slashes, /[^ -~]/g),
    escapeUnicode(escaped, /[<>&]|[^ -~]/g),
    escapeUnicode(text.replaceAll('\\', '\\\\'), /["&'+<>`]|[^ -~]/g, (digits) => digits.toUpperCase()),
  ];
}

function escapeUnicode(text: string, escaped: RegExp, toCase = (digits: string) => digits): string {
  return text.replace(escaped, (unit) => `\\u${toCase(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
}

/** Minimum length of a base64 text to search for. A shorter one would match ordinary text. */
const minBase64Characters = 8;

/**
 * Returns the base64 texts of the bytes: encoded alone, and as a part of longer content. A base64 character encodes 6
 * bits, so a part has three possible encodings, one for each offset modulo 3. Characters that also depend on
 * neighbouring bytes are omitted.
 */
function base64Forms(bytes: Buffer): string[] {
  const alone = bytes.toString('base64');
  const within = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return text.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 4) / 3));
  });
  return [alone, alone.replace(/=+$/, ''), ...within]
    .filter((form) => form.length >= minBase64Characters)
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
