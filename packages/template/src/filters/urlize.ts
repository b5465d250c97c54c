import type { Runtime } from '../evaluator/runtime.js';
import { RenderFailure, typeError } from '../failures.js';
import { integerArgument } from '../methods/arguments.js';
import { splitSpace } from '../methods/text-operations.js';
import { items } from '../values/iterate.js';
import { escapeHtml } from '../values/markup-text.js';
import { str } from '../values/repr.js';
import { Markup } from '../values/simple-values.js';
import { codePointLength, isEscaped, isString, takeCodePoints, textOf } from '../values/text.js';
import { isTrue } from '../values/truth.js';
import { typeName } from '../values/type-name.js';
import type { Value } from '../values/value.js';
import { type Filter, filter } from './filter.js';

const schemePattern = /^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u;

/** Creates the filter `urlize`, which turns addresses in a text into links. */
export function urlizeFilter(): Filter {
  const parameters = [
    ['trim_url_limit', null],
    ['nofollow', false],
    ['target', null],
    ['rel', null],
    ['extra_schemes', null],
  ] as const;
  return filter('urlize', parameters, (runtime, value, limit, nofollow, target, rel, extraSchemes) => {
    const text = isEscaped(value, runtime) ? value.text : escapeHtml(str(value, runtime), runtime);
    runtime.budget.items(text.length);
    const link = {
      limit: limit === null ? undefined : integerArgument(limit!),
      rel: relOf(rel!, isTrue(nofollow!), runtime),
      target: target === null ? '' : ` target="${escapeHtml(str(target!, runtime), runtime)}"`,
      schemes: schemesOf(extraSchemes!, runtime),
    };
    const linked = urlize(text, link, runtime);
    runtime.budget.string(linked.length);
    return runtime.autoescape ? new Markup(linked, 'html') : linked;
  });
}

function relOf(rel: Value, nofollow: boolean, runtime: Runtime): string {
  const given = rel === null ? '' : str(rel, runtime);
  runtime.budget.items(given.length);
  const parts = new Set(splitSpace(given, -1, (start, end) => given.slice(start, end)));
  if (nofollow) parts.add('nofollow');
  parts.add('noopener');
  return ` rel="${escapeHtml([...parts].sort().join(' '), runtime)}"`;
}

function schemesOf(value: Value, runtime: Runtime): string[] {
  if (value === null) return [];
  return [...items(value, runtime)].map((scheme) => {
    if (!isString(scheme)) throw typeError(`expected string, got '${typeName(scheme)}'`);
    const text = textOf(scheme);
    runtime.budget.items(text.length);
    if (!schemePattern.test(text)) {
      throw new RenderFailure('FilterArgumentError', `'${text}' is not a valid URI scheme prefix.`);
    }
    return text;
  });
}

interface Link {
  readonly limit: number | undefined;
  readonly rel: string;
  readonly target: string;
  readonly schemes: readonly string[];
}

/** Budget steps for processing one word (duration: up to 3 µs). */
const wordSteps = 12;

function urlize(escaped: string, link: Link, { budget }: Runtime): string {
  let result = '';
  for (const [index, piece] of escaped.split(/(\s+)/u).entries()) {
    const isSpace = index % 2 === 1;
    if (!isSpace) budget.charge(wordSteps + link.schemes.length);
    result += isSpace ? piece : linkWord(piece, link);
    if (result.length > budget.limits.stringLength) break;
  }
  return result;
}

function linkWord(word: string, link: Link): string {
  const { head, middle: rest } = splitHead(word);
  const { middle, tail } = balance(...splitTail(rest));
  return head + linkMiddle(middle, link) + tail;
}

const openers = ['(', '<', '&lt;'];
const closers = [')', '>', '.', ',', '\n', '&gt;'];

function splitHead(word: string): { head: string; middle: string } {
  let index = 0;
  for (let opener = openers.find((text) => word.startsWith(text, index)); opener !== undefined; ) {
    index += opener.length;
    opener = openers.find((text) => word.startsWith(text, index));
  }
  return { head: word.slice(0, index), middle: word.slice(index) };
}

function splitTail(word: string): [middle: string, tail: string] {
  let end = word.length;
  for (let closer = closers.find((text) => word.endsWith(text)); closer !== undefined; ) {
    end -= closer.length;
    const rest = word.slice(0, end);
    closer = closers.find((text) => rest.endsWith(text));
  }
  return [word.slice(0, end), word.slice(end)];
}

/**
 * Moves closing brackets from `tail`, the text after an address, to the end of the address `middle`, if the address
 * contains their opening brackets.
 */
function balance(middle: string, tail: string): { middle: string; tail: string } {
  let result = { middle, tail };
  for (const [open, close] of [
    ['(', ')'],
    ['<', '>'],
    ['&lt;', '&gt;'],
  ] as const) {
    const missing = count(result.middle, open) - count(result.middle, close);
    const wanted = Math.min(missing, count(tail, close));
    for (let taken = 0; taken < wanted; taken++) {
      const end = result.tail.indexOf(close) + close.length;
      if (end < close.length) break;
      result = { middle: result.middle + result.tail.slice(0, end), tail: result.tail.slice(end) };
    }
  }
  return result;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

const labelPattern = /^[\p{L}\p{N}_%-]+$/u;
const genericDomains = new Set(['com', 'net', 'int', 'edu', 'gov', 'org', 'info', 'mil']);
/** Maximum length, in UTF-16 units, of a word that can become a link. */
const maxAddress = 2_048;

function linkMiddle(middle: string, link: Link): string {
  if (middle.length > maxAddress) return middle;
  if (isHttp(middle)) {
    const href = /^https?:\/\//.test(middle) ? middle : `https://${middle}`;
    return `<a href="${href}"${link.rel}${link.target}>${trimAddress(middle, link.limit)}</a>`;
  }
  if (middle.startsWith('mailto:') && isEmail(middle.slice('mailto:'.length))) {
    return `<a href="${middle}">${middle.slice('mailto:'.length)}</a>`;
  }
  if (middle.includes('@') && !middle.startsWith('www.') && !middle.includes(':') && isEmail(middle)) {
    return `<a href="mailto:${middle}">${middle}</a>`;
  }
  if (link.schemes.some((scheme) => middle !== scheme && middle.startsWith(scheme))) {
    return `<a href="${middle}"${link.rel}${link.target}>${middle}</a>`;
  }
  return middle;
}

/**
 * Returns true for the address of a website. The parts of the address are checked one after the other. One regular
 * expression for the whole address could backtrack for a long time.
 */
function isHttp(word: string): boolean {
  const start = /^(?:https?:\/\/|www\.)/i.exec(word)?.[0] ?? '';
  const rest = word.slice(start.length);
  const { host, end } = splitHost(rest);
  if (!/^(?::\d{1,5})?(?:[/?#]\S*)?$/.test(rest.slice(end))) return false;
  const labels = host.split('.');
  const last = labels.at(-1)!.toLowerCase();
  const words = labels.slice(0, -1).every((label) => labelPattern.test(label));
  if (start === '') return labels.length > 1 && words && genericDomains.has(last) && longLabels(labels);
  if (words && (/^[a-z]{2,63}$/.test(last) || /^xn--[\p{L}\p{N}_%]{2,59}$/u.test(last))) return true;
  if (start.toLowerCase() === 'www.') return false;
  return isIpv4(labels) || /^\[[\da-f:]{3,41}\]$/i.test(host);
}

function splitHost(text: string): { host: string; end: number } {
  const bracket = text.startsWith('[') ? text.indexOf(']') + 1 : 0;
  const end = bracket > 0 ? bracket : (/[:/?#]/.exec(text)?.index ?? text.length);
  return { host: text.slice(0, end), end };
}

function longLabels(labels: readonly string[]): boolean {
  return labels.slice(0, -1).every((label) => label.length >= 2 && label.length <= 63);
}

function isIpv4(labels: readonly string[]): boolean {
  return labels.length === 4 && labels.every((label) => /^\d{1,3}$/.test(label));
}

function isEmail(word: string): boolean {
  const at = word.lastIndexOf('@');
  const [local, domain] = [word.slice(0, at), word.slice(at + 1)];
  return (
    at > 0 &&
    !/\s/.test(local) &&
    /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(domain) &&
    /\.[\p{L}\p{N}_]+$/u.test(domain)
  );
}

function trimAddress(text: string, limit: number | undefined): string {
  return limit === undefined || codePointLength(text) <= limit ? text : `${takeCodePoints(text, limit)}...`;
}
