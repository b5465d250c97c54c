// Over 300 lines: lists of words, one a line.
import { fuzzContext } from './context.js';
import type { Random } from './random.js';

const names = Object.keys(fuzzContext);
const localNames = [
  'x',
  'y',
  'k',
  'v',
  'loop.index',
  'loop.last',
  'nope',
  'd.a',
  'd.zz',
  'users[0].name',
  'nested[0].k',
];
const literals = [
  '0',
  '1',
  '2',
  '-3',
  '10',
  '1_000',
  '0x1f',
  '1.0',
  '0.5',
  '2.675',
  '1e3',
  '1e16',
  '1.5e-7',
  '3.14159',
  "''",
  "'a'",
  "'Foo bar-baz'",
  '"it\'s"',
  "'<b>&</b>'",
  "'%s'",
  "'%05.2f'",
  "'{:>8}'",
  "'1,2,,3'",
  "'42'",
  "' 7 '",
  "'-0.5'",
  "'é\\n'",
  'true',
  'false',
  'none',
  '[]',
  '{}',
  '()',
  '[1, 2, 3]',
  "['b', 'A', 'c']",
  '(1, 2)',
  "{'a': 1, 'b': [1, 2]}",
  '[[2, 1], [1, 5]]',
  "[{'a': 1}, {'a': 2}]",
  'range(4)',
  'range(5, 0, -2)',
  "dict(a=1, b='z')",
  '(1,)',
  "[1, 1.0, true, 'x', 'X']",
];
const binary = [
  '+',
  '-',
  '*',
  '/',
  '//',
  '%',
  '**',
  '~',
  'and',
  'or',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'not in',
];
const filters = [
  'abs',
  'capitalize',
  'count',
  'dictsort',
  'e',
  'escape',
  'filesizeformat',
  'first',
  'float',
  'forceescape',
  'int',
  'items|list',
  'join',
  'last',
  'length',
  'list',
  'lower',
  'max',
  'min',
  'pprint',
  'reverse',
  'reverse|list',
  'round',
  'safe',
  'sort',
  'string',
  'striptags',
  'sum',
  'title',
  'tojson',
  'trim',
  'unique|list',
  'upper',
  'urlencode',
  'urlize',
  'wordcount',
  'wordwrap',
  'xmlattr',
  "default('D')",
  "d('D', true)",
  'default(0)',
  "attr('upper')",
  'batch(2)|list',
  "batch(2, '-')|list",
  'slice(2)|list',
  'slice(3, 0)|list',
  'center(12)',
  "join(', ')",
  "join('-', attribute='name')",
  "map('upper')|list",
  "map(attribute='name')|list",
  "map(attribute='zz', default='-')|list",
  "map('string')|join('|')",
  'select|list',
  "select('odd')|list",
  "reject('none')|list",
  "selectattr('on')|map(attribute='name')|list",
  "rejectattr('age', 'gt', 26)|list|length",
  "selectattr('name', 'in', ['Ann'])|list",
  'sort(reverse=true)',
  "sort(attribute='age,name')|map(attribute='name')|list",
  'sort(case_sensitive=true)',
  "groupby('age')|list",
  "groupby('on')|map('first')|list",
  "sum(attribute='age')",
  'sum(start=10)',
  "min(attribute='age')",
  'max(case_sensitive=true)',
  'round(1)',
  'round(2)',
  'round(-1)',
  "round(1, 'ceil')",
  "round(1, 'floor')",
  'round(precision=3)',
  'truncate(8)',
  'truncate(8, true)',
  "truncate(10, false, '…', 0)",
  'indent',
  'indent(2, true)',
  "indent('> ', first=true, blank=true)",
  "replace('a', 'b')",
  "replace('o', '0', 1)",
  "replace('', '-')",
  'int(7)',
  'int(base=16)',
  'float(1.5)',
  "trim('h')",
  'tojson(2)',
  'dictsort(by="value")',
  'dictsort(true, "key", true)',
  'filesizeformat(true)',
  "format('x', 2)",
  'format(1)',
  'wordwrap(7)',
  "wordwrap(6, false, '|')",
  'urlize(12)',
  'unique(true)|list',
  'unique(attribute="age")|map(attribute="name")|list',
];
const tests = [
  'defined',
  'undefined',
  'none',
  'string',
  'number',
  'integer',
  'float',
  'boolean',
  'mapping',
  'sequence',
  'iterable',
  'callable',
  'odd',
  'even',
  'true',
  'false',
  'lower',
  'upper',
  'escaped',
  'divisibleby 3',
  'divisibleby(2)',
  'eq 1',
  'ne none',
  'gt 1',
  'ge(2)',
  'lt 2.5',
  'le 0',
  'in [1, 2]',
  "in('abc')",
  'sameas none',
  'not none',
  'not string',
  "equalto 'a'",
  '== 3',
];
const methods = [
  '.upper()',
  '.title()',
  '.split()',
  ".split(',')",
  ".split('a', 1)",
  '.strip()',
  ".replace('l', 'L')",
  '.find("o")',
  '.count("a")',
  '.startswith("h")',
  ".endswith('d')",
  '.capitalize()',
  '.swapcase()',
  '.zfill(6)',
  '.center(9, "*")',
  '.ljust(7)',
  '.rjust(7, ".")',
  '.isdigit()',
  '.isupper()',
  '.splitlines()',
  ".partition(' ')",
  ".rpartition('-')",
  '.items()|list',
  '.keys()|list',
  '.values()|list',
  ".get('a')",
  ".get('q', 0)",
  '.index(1)',
  '.lower()',
  '.isalpha()',
  '.casefold()',
  '.rsplit(None, 1)',
  ".removeprefix('h')",
  '.expandtabs(4)',
  '.is_integer()',
  '.bit_length()',
  '.copy()',
  '.join(["a", "b"])',
];
const subscripts = [
  '[0]',
  '[-1]',
  '[5]',
  '[1:]',
  '[:2]',
  '[::-1]',
  '[1:3]',
  '[-2:]',
  "['a']",
  '[::2]',
  '[9:1:-1]',
  '[n]',
  '[none]',
  "['zz']",
  '.a',
  '.zz',
  '.0',
];
const percentFormats = [
  '%s',
  '%d',
  '%5d|',
  '%05d',
  '%.2f',
  '%+.3f',
  '%e',
  '%g',
  '%x',
  '%-8s|',
  '%r',
  '%c',
  '%i%%',
  '%10.3e',
  '%#x',
  '%G',
  '% d',
  '%.3s',
];
const specs = [
  '',
  ':>8',
  ':<6|',
  ':^9',
  ':*^9',
  ':.2f',
  ':+.1f',
  ':,',
  ':08.3f',
  ':d',
  ':e',
  ':g',
  ':.3g',
  ':%',
  ':.1%',
  ':x',
  ':#b',
  ':_',
  ':n',
  '!r',
  '!s:>5',
  ':.2',
  ':010,',
  ':c',
  ':G',
  ':,.2f',
];

/** A random expression; `depth` bounds how far it nests. */
export function generateExpression(random: Random, depth: number): string {
  if (depth <= 0 || random.chance(0.15)) return generateAtom(random);
  const sub = () => generateExpression(random, depth - 1);
  switch (random.integer(13)) {
    case 0:
    case 1:
      return `${sub()} ${random.pick(binary)} ${sub()}`;
    case 2:
    case 3:
    case 4:
      return `${operand(random, depth)}|${random.pick(filters)}`;
    case 5:
      return `${operand(random, depth)} is ${random.pick(tests)}`;
    case 6:
      return `${operand(random, depth)}${random.pick(methods)}`;
    case 7:
      return `${operand(random, depth)}${random.pick(subscripts)}`;
    case 8:
      return `${sub()} if ${sub()}${random.chance(0.8) ? ` else ${sub()}` : ''}`;
    case 9:
      return random.pick([
        `not ${sub()}`,
        `-${operand(random, depth)}`,
        `+${operand(random, depth)}`,
        `(${sub()})`,
      ]);
    case 10:
      return random.pick([
        `[${sub()}, ${sub()}]`,
        `(${sub()}, ${sub()})`,
        `{'x': ${sub()}, ${random.pick(['1', 'n', "'k'", 'threshold'])}: 1}`,
        `[${sub()}]`,
      ]);
    case 11:
      return generateFormat(random, sub);
    default:
      return `${operand(random, depth)}|${random.pick(filters)}|${random.pick(filters)}`;
  }
}

function generateAtom(random: Random): string {
  const kind = random.integer(10);
  if (kind < 5) return random.pick(names);
  return kind < 9 ? random.pick(literals) : random.pick(localNames);
}

/** Something that a filter, method or subscript may follow. */
function operand(random: Random, depth: number): string {
  return random.chance(0.6) ? generateAtom(random) : `(${generateExpression(random, depth - 1)})`;
}

function generateFormat(random: Random, sub: () => string): string {
  const percent = `'${random.pick(percentFormats)}'`;
  switch (random.integer(4)) {
    case 0:
      return `${percent}|format(${sub()})`;
    case 1:
      return `${percent} % (${sub()},)`;
    case 2:
      return `'%s and %s' % (${sub()}, ${sub()})`;
    default:
      return `'{${random.pick(['', '0'])}${random.pick(specs)}}'.format(${sub()})`;
  }
}
