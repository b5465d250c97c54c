import type { Budget } from '../budget.js';

/** Common named entities of HTML. Other names are not replaced. */
const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    copy: '©',
    reg: '®',
    trade: '™',
    hellip: '…',
    mdash: '—',
    ndash: '–',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    laquo: '«',
    raquo: '»',
    bull: '•',
    middot: '·',
    deg: '°',
    euro: '€',
    pound: '£',
    yen: '¥',
    cent: '¢',
    sect: '§',
    para: '¶',
    times: '×',
    divide: '÷',
    plusmn: '±',
    micro: 'µ',
    larr: '←',
    rarr: '→',
    uarr: '↑',
    darr: '↓',
    auml: 'ä',
    ouml: 'ö',
    uuml: 'ü',
    Auml: 'Ä',
    Ouml: 'Ö',
    Uuml: 'Ü',
    szlig: 'ß',
    eacute: 'é',
    egrave: 'è',
    agrave: 'à',
    ccedil: 'ç',
    ntilde: 'ñ',
    iexcl: '¡',
    iquest: '¿',
    frac12: '½',
    frac14: '¼',
    frac34: '¾',
    sup2: '²',
    sup3: '³',
    ne: '≠',
    le: '≤',
    ge: '≥',
    infin: '∞',
  }),
);

const referencePattern = /&(#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{0,31});?/g;
/** Names of the entities in `named` that are also replaced without a semicolon. */
const withoutSemicolon = new Set([
  'amp',
  'lt',
  'gt',
  'quot',
  'nbsp',
  'copy',
  'reg',
  'laquo',
  'raquo',
  'middot',
  'deg',
  'pound',
  'yen',
  'cent',
  'sect',
  'para',
  'times',
  'divide',
  'plusmn',
  'micro',
  'auml',
  'ouml',
  'uuml',
  'Auml',
  'Ouml',
  'Uuml',
  'szlig',
  'eacute',
  'egrave',
  'agrave',
  'ccedil',
  'ntilde',
  'iexcl',
  'iquest',
  'frac12',
  'frac14',
  'frac34',
  'sup2',
  'sup3',
]);

/** Budget steps for replacing one reference (duration: up to 0.8 µs). */
const referenceSteps = 5;

/**
 * Replaces character references like Python's `html.unescape`, with three differences. Named entities are replaced only
 * if they are in `named`. A numeric reference ends after at most 8 digits. A numeric reference to a control character
 * or noncharacter becomes this character; Python omits most of these characters, and reads 128 to 159 as Windows-1252.
 */
export function unescapeHtml(text: string, budget: Budget): string {
  if (!text.includes('&')) return text;
  return text.replace(referencePattern, (reference: string, name: string) => {
    budget.charge(referenceSteps);
    if (name.startsWith('#')) return numeric(name);
    if (reference.endsWith(';')) return named.get(name) ?? unescapePrefix(name, reference);
    return unescapePrefix(name, reference);
  });
}

/**
 * Finds the longest prefix of `name` that is in `withoutSemicolon`, and replaces it by its character. Returns
 * `reference` unchanged if there is no such prefix.
 */
function unescapePrefix(name: string, reference: string): string {
  for (let length = name.length; length > 1; length--) {
    const prefix = name.slice(0, length);
    if (withoutSemicolon.has(prefix)) return named.get(prefix)! + reference.slice(length + 1);
  }
  return reference;
}

function numeric(name: string): string {
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return String.fromCodePoint(code);
}
