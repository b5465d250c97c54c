import type { Runtime } from '../evaluator/runtime.js';
import { typeError, valueError } from '../failures.js';
import { splitSpace } from '../methods/text-operations.js';
import { items, tryIterate } from '../values/iterate.js';
import { escapeHtml, escapeToMarkup } from '../values/markup-text.js';
import { str } from '../values/repr.js';
import { Markup, Undefined } from '../values/simple-values.js';
import { isString, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import { Dict, type Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';
import { unescapeHtml } from './html-entities.js';
import { urlizeFilter } from './urlize.js';

/** Returns the filters for HTML, XML and URLs, for example `escape` and `urlencode`. */
export function htmlFilters(): Filter[] {
  return [
    filter('escape', [], (runtime, value) => escapeToMarkup(value, runtime)),
    filter(
      'forceescape',
      [],
      (runtime, value) => new Markup(escapeHtml(str(value, runtime), runtime), 'html'),
    ),
    filter('striptags', [], (runtime, value) => stripTags(str(value, runtime), runtime)),
    filter('urlencode', [], urlEncode),
    filter('xmlattr', [['autospace', true]], xmlAttributes),
    urlizeFilter(),
  ];
}

/** Removes comments and tags, collapses whitespace and replaces entities, like `striptags` of markupsafe. */
function stripTags(text: string, runtime: Runtime): string {
  runtime.budget.characters(text.length * 2);
  const bare = removeBetween(removeBetween(text, '<!--', '-->'), '<', '>');
  return unescapeHtml(splitSpace(bare, -1, (start, end) => bare.slice(start, end)).join(' '), runtime.budget);
}

/**
 * Removes each part from `open` to `close` in linear time. A regular expression would need quadratic time for a text
 * with many unclosed tags.
 */
function removeBetween(text: string, open: string, close: string): string {
  let result = '';
  let from = 0;
  for (let at = text.indexOf(open); at !== -1; at = text.indexOf(open, from)) {
    const end = text.indexOf(close, at + open.length);
    if (end === -1) break;
    result += text.slice(from, at);
    from = end + close.length;
  }
  return result + text.slice(from);
}

/** Budget steps for encoding one key and value (duration: 0.6 µs, even if they are short). */
const pairSteps = 6;

function urlEncode(runtime: Runtime, value: Value): Value {
  if (isString(value) || tryIterate(value, runtime) === undefined) return quote(value, true, runtime);
  const pairs: string[] = [];
  let length = 0;
  for (const [key, item] of pairsOf(value, runtime)) {
    runtime.budget.charge(pairSteps);
    const pair = `${quote(key, false, runtime)}=${quote(item, false, runtime)}`;
    pairs.push(pair);
    length += pair.length + 1;
    runtime.budget.grow(length, pair.length);
  }
  return pairs.join('&');
}

function* pairsOf(value: Value, runtime: Runtime): Generator<readonly [Value, Value]> {
  if (value instanceof Dict) {
    yield* value.entries();
    return;
  }
  for (const item of items(value, runtime)) {
    const iterator = tryIterate(item, runtime);
    if (iterator === undefined) throw typeError(`cannot unpack non-iterable ${typeName(item)} object`);
    const pair: Value[] = [];
    for (let next = iterator.next(); !next.done && pair.length < 3; next = iterator.next())
      pair.push(next.value);
    if (pair.length > 2) throw valueError('too many values to unpack (expected 2)');
    if (pair.length < 2) throw valueError(`not enough values to unpack (expected 2, got ${pair.length})`);
    yield [pair[0]!, pair[1]!];
  }
}

const unsafeInPath = /[^A-Za-z0-9_.~/-]/gu;
const unsafeInQuery = /[^A-Za-z0-9_.~-]/gu;

/**
 * Percent-encodes the UTF-8 bytes of a text for a URL path, or for a query if `isPath` is false. In a path, `/` is not
 * encoded. In a query, a space becomes `+`.
 */
function quote(value: Value, isPath: boolean, runtime: Runtime): string {
  const text = str(value, runtime);
  runtime.budget.characters(text.length);
  return text.replace(isPath ? unsafeInPath : unsafeInQuery, (character) => {
    runtime.budget.step();
    return !isPath && character === ' ' ? '+' : percentEncode(character);
  });
}

function percentEncode(character: string): string {
  if (/^[\ud800-\udfff]$/.test(character)) {
    throw valueError("'utf-8' codec can't encode a lone surrogate: surrogates not allowed");
  }
  if (character < '\x80') return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return encodeURIComponent(character);
}

const forbiddenInName = /[ \t\n\v\f\r/>=]/;

function xmlAttributes(runtime: Runtime, value: Value, autospace: Value): Value {
  if (value instanceof Undefined) value.fail();
  if (!(value instanceof Dict)) throw typeError(`'${typeName(value)}' object has no attribute 'items'`);
  const parts: string[] = [];
  let length = 0;
  for (const [key, item] of value.entries()) {
    runtime.budget.step();
    if (item === null || item instanceof Undefined) continue;
    if (!isString(key)) throw typeError('expected string or bytes-like object');
    if (forbiddenInName.test(textOf(key)))
      throw valueError(`Invalid character in attribute name: '${textOf(key)}'`);
    const part = `${escapeToMarkup(key, runtime).text}="${escapeToMarkup(item, runtime).text}"`;
    parts.push(part);
    length += part.length + 1;
    if (length > runtime.budget.limits.stringLength) break;
  }
  runtime.budget.string(length);
  const joined = parts.join(' ');
  const text = isTrue(autospace) && joined !== '' ? ` ${joined}` : joined;
  return runtime.autoescape ? new Markup(text, 'html') : text;
}
