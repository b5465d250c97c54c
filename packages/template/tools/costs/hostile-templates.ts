/** A template whose work grows with `size`. */
export type SizedTemplate = (size: number) => string;

/** Templates made to cost more CPU than their steps say. `range` holds 100,000 items at most. */
export const hostileTemplates: Readonly<Record<string, SizedTemplate>> = {
  ...plainWork(),
  ...textWork(),
  ...searches(),
  ...capturedText(),
  ...integers(),
  ...floats(),
  ...formats(),
  ...sequences(),
  ...dictionaries(),
  ...names(),
  ...calls(),
  ...printing(),
};

/** Evaluates an expression `size` times. */
function again(expression: string, before = ''): SizedTemplate {
  return (size) => `${before}{% for i in range(${size}) %}{% set _ = ${expression} %}{% endfor %}`;
}

/** The text before each of `count` names a0, a1, …, put together. */
function named(piece: string, count: number): string {
  return Array.from({ length: count }, (_, index) => piece.replace('#', `a${index}`)).join('');
}

function plainWork(): Record<string, SizedTemplate> {
  return {
    'loop that prints its index': (size) => `{% for i in range(${size}) %}{{ i }}{% endfor %}`,
    'empty loop': (size) => `{% for i in range(${size}) %}{% endfor %}`,
    'loops of one item inside a loop': (size) =>
      `{% for i in range(${size}) %}{% for a in [1] %}{% for b in [1] %}{% endfor %}{% endfor %}{% endfor %}`,
    'loops that read loop.last': (size) =>
      `{% for i in range(${size}) %}{% for a in [1] %}{{ loop.last }}{% endfor %}{% endfor %}`,
    'loop with a filter': (size) => `{% for i in range(${size}) if i %}{% endfor %}`,
    'recursive loop': (size) =>
      `{% for i in range(${size}) %}{% for x in [[[]]] recursive %}{{ loop(x) }}{% endfor %}{% endfor %}`,
    'loop that asks for changes': again('loop.changed(1, 2, 3, 4, 5, 6)'),
    'loop that cycles': again('loop.cycle(1, 2, 3, 4, 5, 6)'),
    additions: again('i + i + i + i + i + i'),
    comparisons: again('1 < 2 < 3 < 4 < 5'),
    conditions: again('1 if i else 2 if i else 3'),
    'lists of constants': again('[1, 2, 3, 4, 5, 6, 7, 8]'),
    'dicts of constants': again("{'a': 1, 'b': 2, 'c': 3, 'd': 4}"),
    'attributes that are missing': again('alert.nothing'),
    'attributes of the alert': again('alert.id'),
    'unsafe attributes': again("''.__class__"),
    'with blocks': (size) => `{% for i in range(${size}) %}{% with a = 1 %}{% endwith %}{% endfor %}`,
    'conditions as statements': (size) => `{% for i in range(${size}) %}{% if i %}{% endif %}{% endfor %}`,
    'autoescape blocks': (size) =>
      `{% for i in range(${size}) %}{% autoescape true %}{{ '<' }}{% endautoescape %}{% endfor %}`,
    'namespace that counts': (size) =>
      `{% set ns = namespace(n=0) %}{% for i in range(${size}) %}{% set ns.n = ns.n + 1 %}{% endfor %}`,
  };
}

function textWork(): Record<string, SizedTemplate> {
  const accents = "{% set s = 'é\\u2003' * 50000 %}";
  const emoji = "{% set s = '😀' * 5000 %}";
  return {
    'word broken at each character': (size) => `{{ ('x' * ${size})|wordwrap(1)|length }}`,
    'words wrapped to one column': (size) => `{{ ('a ' * ${size})|wordwrap(1)|length }}`,
    'hyphens that are no dash': (size) => `{{ ('-' * ${size})|wordwrap|length }}`,
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
    'capitals of short text': again("'abc'|capitalize"),
    'swapped case': (size) => `{{ ('aA' * ${size}).swapcase()|length }}`,
    'question whether text is lower case': (size) => `{{ ('1' * ${size}) is lower }}`,
    'question whether text is letters': (size) => `{{ ('ä' * ${size}).isalpha() }}`,
    'question whether text is a title': (size) => `{{ ('A' * ${size}).istitle() }}`,
    'question whether text is printable': (size) => `{{ ('a ' * ${size}).isprintable() }}`,
    'words to count': (size) => `{{ ('a ' * ${size})|wordcount }}`,
    'text to reverse': (size) => `{{ ('aé' * ${size})|reverse|length }}`,
    'text as a list': (size) => `{{ ('aé' * ${size})|list|length }}`,
    'emoji to count': again('s|length', emoji),
    'emoji to centre': again('s|center(9)', emoji),
    'emoji by index': again('s[i]', emoji),
    'emoji sliced': again('s[:1]', emoji),
    'emoji by find': again("s.find('a', 0, 9)", emoji),
    'emoji in tabs': (size) => `{{ ('😀\\t' * ${size}).expandtabs(1)|length }}`,
    'characters of long text': again('s[0]', accents),
    'slices of long text': again('s[:1]', accents),
    'slices with a step': again('s[::2]', "{% set s = 'ab' * 1000 %}"),
    'short text before long text': again("'a' < s", accents),
    'spaces to strip': again('s.strip()', "{% set s = '\\u2003' * 5000 %}"),
    'long sets of characters to strip': again("'b'.strip(s)", "{% set s = 'a' * 5000 %}"),
    'long sets of characters to trim': again("'b'|trim(s)", "{% set s = 'a' * 5000 %}"),
    'tabs to expand': (size) => `{{ ('a\\t' * ${size}).expandtabs(2)|length }}`,
    'text filled with zeros': again("'a'.zfill(3000)"),
    'text to centre': again("'a'|center(3000)"),
    'text cut to a length': again("s|truncate(2000, false, '…', 0)", "{% set s = 'a ' * 1500 %}"),
    'characters to escape for HTML': (size) => `{{ ('<' * ${size})|e|length }}`,
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
    'a relation of many words': again("''|urlize(rel=s)", "{% set s = 'a ' * 300 %}"),
    'short texts joined': again("'a' ~ 'b' ~ 'c' ~ 'd'"),
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
    'short search': again("s.find('aaaaaaaaaaaaaaab')", "{% set s = 'a' * 2000 %}"),
    'short search from the right': again("s.rfind('baaaaaaaaaaaaaaa')", "{% set s = 'a' * 2000 %}"),
    'partition from the right': (size) =>
      `{{ ('a' * ${size}).rpartition('a' * ${half(size)} ~ 'b')|length }}`,
    'partitions of text': again("s.rpartition('a' * 15 ~ 'b')", "{% set s = 'a' * 2000 %}"),
    'split from the right': again('s.rsplit(t)', "{% set s = 'a' * 2000 %}{% set t = 'a' * 1000 ~ 'b' %}"),
    'split from the left': again(
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
    'prefixes of which the first fits': again("'a'.startswith(t)", "{% set t = ('a',) * 500 %}"),
    'prefixes that are taken off': again('s.removeprefix(s)', "{% set s = 'a' * 3000 %}"),
  };
}

function half(size: number): number {
  return Math.max(1, Math.floor(size / 2));
}

function capturedText(): Record<string, SizedTemplate> {
  const quotes = `{% set s %}${'"'.repeat(4_000)}{% endset %}`;
  return {
    'quotes that are captured': (size) =>
      `{% for i in range(${size}) %}{% set s %}${'"'.repeat(2_000)}{% endset %}{% endfor %}`,
    'captured text that is compared': again("s == 'a'", quotes),
    'captured text as JSON': again('s|tojson', quotes),
    'captured text that is printed': (size) => `${quotes}{% for i in range(${size}) %}{{ s }}{% endfor %}`,
    'captured text that is joined': again("s ~ 'a'", quotes),
    'captured text that is stripped': again('s|trim', `{% set s %}${' \n'.repeat(2_000)}{% endset %}`),
    'captured text that is indented': again('s|indent', `{% set s %}${' \n'.repeat(1_000)}{% endset %}`),
    'captured text that is counted': again('s|length', quotes),
    'set blocks': (size) => `{% for i in range(${size}) %}{% set s %}a{% endset %}{% endfor %}`,
    'filter blocks': (size) => `{% for i in range(${size}) %}{% filter upper %}a{% endfilter %}{% endfor %}`,
    'text that looks like marks': (size) =>
      `{% set s %}{{ '\\U0010ff01' * ${size} }}{% endset %}{{ s|length }}`,
  };
}

function integers(): Record<string, SizedTemplate> {
  const big = '{% set big = 9 ** 1290 %}{% set half = 9 ** 645 %}{% set small = 9 ** 600 %}';
  return {
    'long integers that are added': again('big + big - big', big),
    'long integers that are multiplied': again('half * half', big),
    'long integers that are divided': again('big // half', big),
    'long integers with a remainder': again('big % small', big),
    'long integers as a quotient': again('half / small', big),
    'long integers that are negated': again('-big', big),
    'powers of integers': again('9 ** 1290'),
    'powers of two': again('2 ** 4095'),
    'powers that are too large': again('3 ** 2580'),
    'long integers that are compared': again('big < big', big),
    'long integers that are printed': (size) => `${big}{{ [big] * ${size} }}`,
    'long integers as JSON': (size) => `${big}{{ ([big] * ${size})|tojson }}`,
    'long integers in hexadecimal': again("'%x' % big", big),
    'long integers in binary': again("'{:b}'.format(big)", big),
    'long integers in groups': again("'{:,}'.format(big)", big),
    'long integers that are rounded': (size) => `${big}{{ ([big] * ${size})|map('round', -9)|list|length }}`,
    'long integers that are rounded far': again('big|round(-1200)', big),
    'long integers as keys': again('{big: 1}', big),
    'long integers as floats': again('f|float', '{% set f = 9 ** 320 %}'),
    'long integers as the sum of a list': (size) => `${big}{{ ([half] * ${size})|sum }}`,
    'long integers in a loop': (size) => `${big}{% for i in range(0, half * ${size}, half) %}{% endfor %}`,
    'long integers in a list': (size) => `${big}{{ range(0, half * ${size}, half)|list|length }}`,
    'long integers sought in a range': again(
      'half in r',
      `${big}{% set r = range(0, small * 1000, small) %}`,
    ),
    'a long tuple of long integers': (size) => `${big}{{ {}[(big,) * ${size}] }}`,
    'integers that share their lowest bits': (size) =>
      `{{ range(0, ${size} * 2 ** 64, 2 ** 64)|unique|list|length }}`,
    'bits to count': again('big.bit_count()', big),
    'length in bits': again('big.bit_length()', big),
    'digits of another script': again('s|int', "{% set s = '\\u0663' * 400 %}"),
    'digits in another base': (size) => `{{ (['z' * 780] * ${size})|map('int', 0, 36)|list|length }}`,
    'digits in decimal': again('s|int', "{% set s = '9' * 1200 %}"),
    'steps of a range that grow': (size) =>
      `{% set ns = namespace(r=range(1)) %}{% for i in range(${size}) %}{% set ns.r = ns.r[::10 ** 15] %}{% endfor %}`,
  };
}

function floats(): Record<string, SizedTemplate> {
  return {
    'powers of floats': again('0.1 ** 0.3'),
    'powers of negative floats': again('(-0.1) ** 0.3'),
    'tiny floats that are rounded': again('5e-324|round(300)'),
    'huge floats that are rounded': again('1.5e300|round(-200)'),
    'floats that are rounded up': again("1.2345|round(2, 'ceil')"),
    'floats that are rounded': again('1.2345|round(2)'),
    'ties that are rounded': again('0.125|round(2)'),
    'floats that are printed': again("'' ~ 1.2345678901234567"),
    'tiny floats with 17 digits': again("'%.17g' % 5e-324"),
    'tiny floats with an exponent': again("'%e' % 5e-324"),
    'tiny floats with 300 digits': again("'%.300f' % 5e-324"),
    'tiny floats with 2,000 digits': again("'%.2000f' % 5e-324"),
    'tiny floats with 2,000 significant digits': again("'%.2000e' % 5e-324"),
    'huge floats with two digits': again("'%.2f' % 1.5e300"),
    'tiny floats as a ratio': again('5e-324.as_integer_ratio()'),
    'floats in hexadecimal': again('0.1.hex()'),
    'floats as a file size': again('123456789.5|filesizeformat'),
    'text read as a float': again('s|float', "{% set s = '1' * 1000 %}"),
    'floats as keys': again('{1e300: 1}'),
    'remainders of floats': again('1e300 % 0.7'),
    'quotients of floats': again('1e300 // 0.7'),
  };
}

function formats(): Record<string, SizedTemplate> {
  return {
    'a wide number in groups': (size) => `{{ '{:0=${size},}'.format(1)|length }}`,
    'short formats': again("'{}{}{}'.format(1, 2, 3)"),
    'formats with a specification': again("'{:>8.2f}'.format(1.5)"),
    'formats with nested fields': again("'{:{}.{}f}'.format(1.5, 8, 2)"),
    'formats that look up attributes': again("'{0.id}{0[id]}'.format(alert)"),
    'percent formats': again("'%s %d %.1f' % ('a', 1, 1.5)"),
    'percent formats of a mapping': again("'%(id)s' % alert"),
    'wide percent formats': again("'%3000d' % 1"),
    'percent signs': (size) => `{{ ('%%' * ${size}) % () }}`,
    'ASCII forms of text': again("'%a' % s", "{% set s = 'é' * 500 %}"),
    'printed forms of text': again("'%r' % s", "{% set s = '\\x01' * 500 %}"),
  };
}

function sequences(): Record<string, SizedTemplate> {
  return {
    'sorted numbers': (size) => `{{ (range(${size})|list)|sort(reverse=true)|length }}`,
    'sorted mixed texts': (size) => `{{ (range(${size})|map('string')|list)|sort|length }}`,
    'texts sorted by two attributes': (size) => `{{ ([alert] * ${size})|sort(attribute='id,bound')|length }}`,
    'long keys of one case': (size) => `{{ (['A' * 3000] * ${size})|sort|length }}`,
    'sorting again and again': again('l|sort', '{% set l = range(50)|list %}'),
    'sorting in place': again('l.sort(reverse=i)', '{% set l = range(50)|list %}'),
    groups: (size) => `{{ ([alert] * ${size})|groupby('id')|length }}`,
    'unique texts': (size) => `{{ range(${size})|map('string')|unique|list|length }}`,
    smallest: (size) => `{{ range(${size})|min }}`,
    sum: (size) => `{{ range(${size})|sum }}`,
    'sum of lists': (size) => `{{ ([[1]] * ${size})|sum(start=[])|length }}`,
    'maps of maps': (size) => `{{ (['a'] * ${size})${"|map('upper')".repeat(20)}|list|length }}`,
    'selected items': (size) => `{{ range(${size})|select('odd')|list|length }}`,
    'selected attributes': (size) => `{{ ([alert] * ${size})|selectattr('id', 'eq', 1)|list|length }}`,
    'mapped attributes': (size) => `{{ ([alert] * ${size})|map(attribute='id')|list|length }}`,
    'a long attribute': (size) => `{{ ([1] * 20)|map(attribute='real' ~ '.real' * ${size})|list|length }}`,
    'an attribute of many parts': again('[]|sort(attribute=s)', "{% set s = ',' * 1000 %}"),
    'arguments for each item': (size) => `{{ range(200)|map('map', *range(${size}))|list|length }}`,
    batches: (size) => `{{ range(${size})|batch(2)|list|length }}`,
    'filled batches': (size) => `{{ range(${size})|batch(3, 0)|list|length }}`,
    'slices of a list': (size) => `{{ range(${size})|slice(${size})|list|length }}`,
    'joined numbers': (size) => `{{ range(${size})|join(',')|length }}`,
    'joined attributes': (size) => `{{ ([alert] * ${size})|join(',', attribute='id')|length }}`,
    'last of a range': again('r|last', '{% set r = range(100) %}'),
    'last of long text': again('s|last', "{% set s = 'é' * 100 %}"),
    'reversed range': (size) => `{{ range(${size})|reverse|list|length }}`,
    'list that is repeated': (size) => `{{ ([0] * ${size})|length }}`,
    'list that is sliced': again('l[::-1]', '{% set l = [0] * 200 %}'),
    'list that is copied': again('l|list', '{% set l = [0] * 200 %}'),
    'list that is searched': again('-1 in l', '{% set l = range(200)|list %}'),
    'list of texts that is searched': again("'b' in l", "{% set l = ['a'] * 200 %}"),
    'list whose items are counted': again("l.count('b')", "{% set l = ['a'] * 200 %}"),
    'list that grows': (size) =>
      `{% set l = [] %}{% for i in range(${size}) %}{% set _ = l.append(i) %}{% endfor %}`,
    'list that grows at its front': (size) =>
      `{% set l = [] %}{% for i in range(${size}) %}{% set _ = l.insert(0, i) %}{% endfor %}`,
    'list that shrinks from its front': (size) =>
      `{% set l = [0] * 200 %}{% for i in range(${size}) %}{% set _ = l.append(l.pop(0)) %}{% endfor %}`,
    'lists that are compared': again('a == b', '{% set a = [1, [2]] * 100 %}{% set b = [1, [2]] * 100 %}'),
    'lists that are ordered': again('a < b', '{% set a = [1, [2]] * 100 %}{% set b = [1, [2]] * 100 %}'),
    'tuples in tuples that are a key': (size) =>
      `{% set ns = namespace(t=(1,)) %}{% for i in range(${Math.ceil(Math.log2(size + 1))}) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}{{ {}[ns.t] }}`,
    'lists in lists that are printed': (size) =>
      `{% set ns = namespace(t=[1]) %}{% for i in range(${Math.ceil(Math.log2(size + 1))}) %}{% set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.t }}`,
    'deep lists printed prettily': (size) =>
      `{% set ns = namespace(t=[]) %}{% for i in range(${Math.min(size, 300)}) %}{% set ns.t = [ns.t, 'aaaaaaaa'] %}{% endfor %}{{ ns.t|pprint }}`,
    'names to unpack': (size) => `{% for ${named('#,', 500)}z in [range(501)] * ${size} %}{% endfor %}`,
    'two names to unpack': (size) => `{% for a, b in [[1, 2]] * ${size} %}{% endfor %}`,
  };
}

function dictionaries(): Record<string, SizedTemplate> {
  const d = '{% set d = dict(range(400)|map("string")|batch(2)) %}';
  return {
    'dict of texts': (size) => `{{ dict(range(${size})|map('string')|batch(2))|length }}`,
    'dict from keys': (size) => `{{ {}.fromkeys(range(${size}))|length }}`,
    'dict that is copied': again('d.copy()', d),
    'dict that is built by names': again('dict(**d)', d),
    'dict that is updated': again('d.update(d)', d),
    'dict that is sorted': again('d|dictsort', d),
    'dict that loses its last item': again('d.update(x=1) or d.popitem()', d),
    'dict that is read': again("d.get('8')", d),
    'dict that is asked for keys': again("'8' in d", d),
    'dict whose items are listed': again('d.items()|list', d),
    'keys that are compared': again('d.keys() <= e.keys()', `${d}{% set e = d.copy() %}`),
    'dicts that are equal': again('d == e', `${d}{% set e = d.copy() %}`),
    'dict as JSON': again('d|tojson', d),
    'dict printed prettily': again('d|pprint', d),
    'dict as text': again('d|string', d),
    'dict as attributes': again('d|xmlattr', "{% set d = {}.fromkeys('abcdefghij', 'x') %}"),
    'dict with one long value as attributes': (size) =>
      `{% set d = {}.fromkeys(range(20)|map('string'), 'a' * ${size}) %}{{ d|xmlattr|length }}`,
    'dict for an address': again('d|urlencode', d),
    'wide indent of lines': (size) => `{{ {'a' * ${size}: ['b' * 90] * 20}|pprint|length }}`,
    'names for each item': (size) => `${d}{{ (['a'] * ${size})|map('format', **d)|list|length }}`,
  };
}

function names(): Record<string, SizedTemplate> {
  return {
    'names that a loop does not use': (size) =>
      `{% for i in range(${size}) %}{% if false %}${named('{{ # }}', 5_000)}{% endif %}{% endfor %}`,
    'fifteen names that a loop does not use': (size) =>
      `{% for i in range(${size}) %}{% if false %}${named('{{ # }}', 15)}{% endif %}{% endfor %}`,
    'variables of the alert in a loop': (size) =>
      `{% for i in range(${size}) %}{% if false %}{{ alert_rule_name }}{{ model_name }}{{ metric_value }}{{ threshold }}{{ bound }}{{ alert_id }}{{ fired_at }}{{ workspace_id }}{{ alert }}{{ model }}{{ alert_rule }}{% endif %}{% endfor %}`,
    'branches beside many names': (size) =>
      `${named('{%set #=1%}', 900)}{% for i in range(${size}) %}{%if 1%}{%endif%}{% endfor %}`,
    'branches that set a name each': (size) =>
      `{% for i in range(${size}) %}{%if 0%}${named('{%elif 0%}{%set #=1%}', 1_000)}{%endif%}{% endfor %}`,
    'names that a scoped block sees': (size) =>
      `${named('{% set # = 1 %}', 1_000)}{% for i in range(${size}) %}{% block b scoped %}{% endblock %}{% endfor %}`,
    blocks: (size) => `{% for i in range(${size}) %}{{ self.b() }}{% endfor %}{% block b %}{% endblock %}`,
    'names at the top': (size) => `${named('{%set #=1%}', Math.min(size, 4_000))}`,
    'undefined names': again('nothing'),
    'names inside nested scoped blocks': (size) =>
      nestedBlocks(
        45,
        `{% for i in range(${size}) %}{% if false %}${named('{{ # }}', 15)}{% endif %}{% endfor %}`,
      ),
    'undefined names that are printed': (size) => `{% for i in range(${size}) %}{{ nothing }}{% endfor %}`,
  };
}

function nestedBlocks(depth: number, inside: string): string {
  if (depth === 0) return inside;
  const inner = nestedBlocks(depth - 1, inside);
  return `{% for v${depth} in [1] %}{% block b${depth} scoped %}${inner}{% endblock %}{% endfor %}`;
}

function calls(): Record<string, SizedTemplate> {
  return {
    'empty macro': again('m()', '{% macro m() %}{% endmacro %}'),
    'macro with arguments': again('m(1, 2, c=3)', '{% macro m(a, b, c=1, d=2) %}{{ a }}{% endmacro %}'),
    'parameters that are not given': again('m()', `{% macro m(${named('#,', 2_000)}z) %}{% endmacro %}`),
    'macro that reads all its arguments': again(
      'm(1, 2, a=3)',
      '{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}',
    ),
    'call blocks': (size) =>
      `{% macro m() %}{{ caller() }}{% endmacro %}{% for i in range(${size}) %}{% call m() %}a{% endcall %}{% endfor %}`,
    recursion: again('m(50)', '{% macro m(n) %}{{ m(n - 1) if n }}{% endmacro %}'),
    methods: again("'a'.upper().lower()"),
    filters: again("'a'|upper|lower"),
    'filters with names': again("'a'|replace(old='b', new='c')"),
    tests: again('1 is divisibleby(num=3)'),
    cycler: again('c.next()', '{% set c = cycler(1, 2) %}'),
    joiner: again('j()', '{% set j = joiner() %}'),
    namespaces: again('namespace(a=1, b=2)'),
    'spread arguments': again('cycler(*l)', '{% set l = [1] * 50 %}'),
    ranges: again('range(1, 9, 2)'),
    'rounding of undefined values': again('nothing|round'),
    defaults: again("nothing|default('a')"),
    'map over one item': again("[1]|map('string')|list"),
    'list from a generator in a generator': again("([1]|map('string')|map('upper'))|first"),
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
