import { half, repeatExpression, type SizedTemplate } from './sized-template.js';

/** Templates that use long strings. */
export function hostileTexts(): Record<string, SizedTemplate> {
  return { ...textWork(), ...searches(), ...capturedText(), ...printing() };
}

function textWork(): Record<string, SizedTemplate> {
  const accents = "{% set s = 'é\\u2003' * 50000 %}";
  const emoji = "{% set s = '😀' * 5000 %}";
  return {
    'word broken at each character': (size) => `{{ ('x' * ${size})|wordwrap(1)|length }}`,
    'words wrapped to one column': (size) => `{{ ('a ' * ${size})|wordwrap(1)|length }}`,
    'hyphens without words': (size) => `{{ ('-' * ${size})|wordwrap|length }}`,
    'hyphens in words': (size) => `{{ ('ab-' * ${size})|wordwrap(1)|length }}`,
    'lines to wrap': (size) => `{{ ('\\n' * ${size})|wordwrap|length }}`,
    'lines to indent': (size) => `{{ ('\\n' * ${size})|indent(0)|length }}`,
    'filled lines to indent': (size) => `{{ ('a\\n' * ${size})|indent(0)|length }}`,
    'one line to indent': (size) => `{{ ('a' * ${size})|indent(0)|length }}`,
    'lines to split': (size) => `{{ ('\\n' * ${size}).splitlines()|length }}`,
    'uppercase of long text': (size) => `{{ ('ß' * ${size})|upper|length }}`,
    'lowercase of long text': (size) => `{{ ('İ' * ${size})|lower|length }}`,
    'casefold of long text': (size) => `{{ ('ß' * ${size}).casefold()|length }}`,
    'title of words': (size) => `{{ ('a ' * ${size})|title|length }}`,
    'title of letters': (size) => `{{ ('aA' * ${size}).title()|length }}`,
    'capitals of short text': repeatExpression("'abc'|capitalize"),
    'swapped case': (size) => `{{ ('aA' * ${size}).swapcase()|length }}`,
    'check for lower case': (size) => `{{ ('1' * ${size}) is lower }}`,
    'check for letters': (size) => `{{ ('ä' * ${size}).isalpha() }}`,
    'check for title case': (size) => `{{ ('A' * ${size}).istitle() }}`,
    'check for an identifier': (size) => `{{ ('a' ~ '\\u0301\\u0323' * ${size}).isidentifier() }}`,
    'check for printable text': (size) => `{{ ('a ' * ${size}).isprintable() }}`,
    'words to count': (size) => `{{ ('a ' * ${size})|wordcount }}`,
    'text to reverse': (size) => `{{ ('aé' * ${size})|reverse|length }}`,
    'text as a list': (size) => `{{ ('aé' * ${size})|list|length }}`,
    'emoji to count': repeatExpression('s|length', emoji),
    'emoji to centre': repeatExpression('s|center(9)', emoji),
    'emoji by index': repeatExpression('s[i]', emoji),
    'emoji sliced': repeatExpression('s[:1]', emoji),
    'emoji by find': repeatExpression("s.find('a', 0, 9)", emoji),
    'emoji in tabs': (size) => `{{ ('😀\\t' * ${size}).expandtabs(1)|length }}`,
    'characters of long text': repeatExpression('s[0]', accents),
    'slices of long text': repeatExpression('s[:1]', accents),
    'slices with a step': repeatExpression('s[::2]', "{% set s = 'ab' * 1000 %}"),
    'short text before long text': repeatExpression("'a' < s", accents),
    'spaces to strip': repeatExpression('s.strip()', "{% set s = '\\u2003' * 5000 %}"),
    'long sets of characters to strip': repeatExpression("'b'.strip(s)", "{% set s = 'a' * 5000 %}"),
    'long sets of characters to trim': repeatExpression("'b'|trim(s)", "{% set s = 'a' * 5000 %}"),
    'tabs of a huge size in text without tabs': repeatExpression(
      's.expandtabs(n)',
      "{% set s = 'a' * 100000 %}{% set n = 10 ** 400 %}",
    ),
    'tabs to expand': (size) => `{{ ('a\\t' * ${size}).expandtabs(2)|length }}`,
    'text filled with zeros': repeatExpression("'a'.zfill(3000)"),
    'text to centre': repeatExpression("'a'|center(3000)"),
    'text cut to a length': repeatExpression("s|truncate(2000, false, '…', 0)", "{% set s = 'a ' * 1500 %}"),
    'characters to escape for HTML': (size) => `{{ ('<' * ${size})|e|length }}`,
    'text without characters to escape': repeatExpression('s|e', "{% set s = 'a' * 100000 %}"),
    'text that is always escaped': repeatExpression('s|forceescape', "{% set s = 'a' * 100000 %}"),
    'a long separator of no lines': repeatExpression("''|wordwrap(9, true, s)", "{% set s = 'a' * 100000 %}"),
    'the first character by a percent format': repeatExpression("'%.1s' % s", "{% set s = 'é' * 100000 %}"),
    'the first character by a format': repeatExpression("'{:.1}'.format(s)", "{% set s = 'é' * 100000 %}"),
    'emoji cut by a percent format': repeatExpression("'%.500s' % s", emoji),
    'entities to read': (size) => `{{ ('&zz ' * ${size})|striptags|length }}`,
    'long entities to read': (size) =>
      `{{ ('&abcdefghijklmnopqrstuvwxyzabcde ' * ${size})|striptags|length }}`,
    'numbers as entities': (size) => `{{ ('&#65;' * ${size})|striptags|length }}`,
    'tags to strip': (size) => `{{ ('<a>' * ${size})|striptags|length }}`,
    'tags that are not closed': (size) => `{{ ('<' * ${size})|striptags|length }}`,
    'comments to strip': (size) => `{{ ('<!---->' * ${size})|striptags|length }}`,
    'text to encode for an address': (size) => `{{ ('é' * ${size})|urlencode|length }}`,
    'ASCII to encode for an address': (size) => `{{ ('\\\\' * ${size})|urlencode|length }}`,
    'short words to link': (size) => `{{ ('a ' * ${size})|urlize|length }}`,
    'bracketed words to link': (size) => `{{ ('(a) ' * ${size})|urlize|length }}`,
    'addresses to link': (size) => `{{ ('http://a.bc/ ' * ${size})|urlize|length }}`,
    'dotted words to link': (size) => `{{ ('a.b.com ' * ${size})|urlize|length }}`,
    'mail addresses to link': (size) => `{{ ('a@b.cd ' * ${size})|urlize|length }}`,
    'brackets behind an address': (size) => `{{ ('a' ~ '(' * ${size} ~ ')' * ${size})|urlize|length }}`,
    'schemes for each word': (size) => `{{ ('a ' * 40)|urlize(extra_schemes=['ftp:'] * ${size})|length }}`,
    'a long target for each link': (size) =>
      `{{ ('http://a.bc/ ' * 20)|urlize(target='a' * ${size})|length }}`,
    'a relation of many words': repeatExpression("''|urlize(rel=s)", "{% set s = 'a ' * 300 %}"),
    'short texts joined': repeatExpression("'a' ~ 'b' ~ 'c' ~ 'd'"),
    'text that grows': (size) =>
      `{% set ns = namespace(s='') %}{% for i in range(${size}) %}{% set ns.s = ns.s ~ 'abcdefgh' %}{% endfor %}`,
    'text that grows and is read': (size) =>
      `{% set ns = namespace(s='') %}{% for i in range(${size}) %}{% set ns.s = ns.s ~ 'é' %}{% set _ = ns.s == 'a' or ns.s[0] %}{% endfor %}`,
  };
}

function searches(): Record<string, SizedTemplate> {
  return {
    'search from the right': (size) => `{{ ('a' * ${size}).rfind('a' * ${half(size)} ~ 'b') }}`,
    'search from the left': (size) => `{{ ('a' * ${size}).find('a' * 20 ~ 'b' ~ 'a' * ${half(size)}) }}`,
    'search by in': (size) => `{{ 'a' * 20 ~ 'b' ~ 'a' * ${half(size)} in 'a' * ${size} }}`,
    'short search': repeatExpression("s.find('aaaaaaaaaaaaaaab')", "{% set s = 'a' * 2000 %}"),
    'short search from the right': repeatExpression(
      "s.rfind('baaaaaaaaaaaaaaa')",
      "{% set s = 'a' * 2000 %}",
    ),
    'partition from the right': (size) =>
      `{{ ('a' * ${size}).rpartition('a' * ${half(size)} ~ 'b')|length }}`,
    'partitions of text': repeatExpression("s.rpartition('a' * 15 ~ 'b')", "{% set s = 'a' * 2000 %}"),
    'split from the right': repeatExpression(
      's.rsplit(t)',
      "{% set s = 'a' * 2000 %}{% set t = 'a' * 1000 ~ 'b' %}",
    ),
    'split from the left': repeatExpression(
      's.split(t)',
      "{% set s = 'a' * 2000 %}{% set t = 'a' * 20 ~ 'b' ~ 'a' * 900 %}",
    ),
    'split into characters': (size) => `{{ ('a,' * ${size}).split(',')|length }}`,
    'split at spaces': (size) => `{{ ('a ' * ${size}).split()|length }}`,
    'count of one character': (size) => `{{ ('a' * ${size}).count('a') }}`,
    'count of long text': (size) => `{{ ('a' * ${size}).count('a' * 20 ~ 'b' ~ 'a' * ${half(size)}) }}`,
    'each character replaced': (size) => `{{ ('a' * ${size})|replace('a', 'b')|length }}`,
    'each character removed': (size) => `{{ ('a' * ${size})|replace('a', '')|length }}`,
    'each character doubled': (size) => `{{ ('a' * ${size})|replace('a', 'bb')|length }}`,
    'replacement between characters': (size) => `{{ ('a' * ${size})|replace('', '-')|length }}`,
    'replacement of long text': (size) =>
      `{{ ('a' * ${size})|replace('a' * 20 ~ 'b' ~ 'a' * ${half(size)}, '')|length }}`,
    'prefixes that nearly fit': (size) =>
      `{% set s = 'a' * 2000 %}{% set t = (s ~ 'b',) * ${size} %}{{ (s ~ 'c').startswith(t) }}`,
    'prefixes of which the first fits': repeatExpression("'a'.startswith(t)", "{% set t = ('a',) * 500 %}"),
    'a prefix of captured text': repeatExpression(
      "s.removeprefix('\"')",
      `{% set s %}"{{ 'a' * 40000 }}{% endset %}`,
    ),
    'a suffix of captured text': repeatExpression(
      "s.removesuffix('\"')",
      `{% set s %}{{ 'a' * 40000 }}"{% endset %}`,
    ),
    'prefixes that are taken off': repeatExpression('s.removeprefix(s)', "{% set s = 'a' * 3000 %}"),
  };
}

function capturedText(): Record<string, SizedTemplate> {
  const quotes = `{% set s %}${'"'.repeat(4_000)}{% endset %}`;
  return {
    'quotes that are captured': (size) =>
      `{% for i in range(${size}) %}{% set s %}${'"'.repeat(2_000)}{% endset %}{% endfor %}`,
    'captured text that is compared': repeatExpression("s == 'a'", quotes),
    'captured text as JSON': repeatExpression('s|tojson', quotes),
    'captured text that is printed': (size) => `${quotes}{% for i in range(${size}) %}{{ s }}{% endfor %}`,
    'captured text that is joined': repeatExpression("s ~ 'a'", quotes),
    'captured text that is stripped': repeatExpression(
      's|trim',
      `{% set s %}${' \n'.repeat(2_000)}{% endset %}`,
    ),
    'captured text that is indented': repeatExpression(
      's|indent',
      `{% set s %}${' \n'.repeat(1_000)}{% endset %}`,
    ),
    'captured text that is counted': repeatExpression('s|length', quotes),
    'set blocks': (size) => `{% for i in range(${size}) %}{% set s %}a{% endset %}{% endfor %}`,
    'filter blocks': (size) => `{% for i in range(${size}) %}{% filter upper %}a{% endfilter %}{% endfor %}`,
    'text that looks like marks': (size) =>
      `{% set s %}{{ '\\U0010ff01' * ${size} }}{% endset %}{{ s|length }}`,
  };
}

function printing(): Record<string, SizedTemplate> {
  return {
    'text of the template': (size) => `{% for i in range(${size}) %}[${'1,'.repeat(250)}1],{% endfor %}`,
    'quotes that are printed': (size) => `{{ '"' * ${size} }}`,
    'control characters that are printed': (size) => `{{ '\\x01' * ${size} }}`,
    'accents that are printed': (size) => `{{ 'é' * ${size} }}`,
    'slices that are errors': (size) => `{% for i in range(${size}) %}{{ 1[:1] }}{% endfor %}`,
    'short texts that are printed': (size) => `{% for i in range(${size}) %}{{ 'a' }}{% endfor %}`,
    'list that is printed': (size) => `{{ [1] * ${size} }}`,
    'list of texts that is printed': (size) => `{{ ['a'] * ${size} }}`,
    'list of floats that is printed': (size) => `{{ [0.1] * ${size} }}`,
    'list as JSON': (size) => `{{ ([1] * ${size})|tojson }}`,
    'list of texts as JSON': (size) => `{{ (['é'] * ${size})|tojson }}`,
    'list of lists as JSON': (size) => `{{ ([[]] * ${size})|tojson }}`,
    'list of dicts as JSON': (size) => `{{ ([{'b': 1, 'a': 2}] * ${size})|tojson(1) }}`,
    'accents as JSON': (size) => `{{ ('é' * ${size})|tojson }}`,
    'brackets as JSON': (size) => `{{ ('<' * ${size})|tojson }}`,
    'list printed prettily': (size) => `{{ ([1] * ${size})|pprint }}`,
    'lists printed prettily': (size) => `{{ ([['a' * 40] * 3] * ${size})|pprint }}`,
  };
}
