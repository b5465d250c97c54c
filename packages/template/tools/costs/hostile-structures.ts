import { numberedCopies, repeatExpression, type SizedTemplate } from './sized-template.js';

/** Templates that use lists, dicts, names, calls and loops. */
export function hostileStructures(): Record<string, SizedTemplate> {
  return { ...plainWork(), ...sequences(), ...dictionaries(), ...names(), ...calls() };
}

function plainWork(): Record<string, SizedTemplate> {
  return {
    'loop that prints its index': (size) => `{% for i in range(${size}) %}{{ i }}{% endfor %}`,
    'empty loop': (size) => `{% for i in range(${size}) %}{% endfor %}`,
    'loops of one item inside a loop': (size) =>
      `{% for i in range(${size}) %}{% for a in [1] %}{% for b in [1] %}{% endfor %}{% endfor %}{% endfor %}`,
    'loops that read loop.last': (size) =>
      `{% for i in range(${size}) %}{% for a in [1] %}{{ loop.last }}{% endfor %}{% endfor %}`,
    'filtered loops without items': (size) =>
      `{% for i in range(${size}) %}{% for a in [] if a %}{{ loop.index }}{% else %}1{% endfor %}{% endfor %}`,
    'loops without items that read loop': (size) =>
      `{% for i in range(${size}) %}{% for a in [] %}{{ loop.index }}{% endfor %}{% endfor %}`,
    'loops without items that have many names': (size) =>
      `{% for i in range(${size}) %}{% for a in [] %}${numberedCopies('{{ # }}', 3_000)}{% endfor %}{% endfor %}`,
    'loops over an empty dict': (size) =>
      `{% for i in range(${size}) %}{% for k, v in {}.items() %}{{ loop.last }}{% endfor %}{% endfor %}`,
    'loop with a filter': (size) => `{% for i in range(${size}) if i %}{% endfor %}`,
    'recursive loop': (size) =>
      `{% for i in range(${size}) %}{% for x in [[[]]] recursive %}{{ loop(x) }}{% endfor %}{% endfor %}`,
    'loop that calls loop.changed': repeatExpression('loop.changed(1, 2, 3, 4, 5, 6)'),
    'loop that calls loop.cycle': repeatExpression('loop.cycle(1, 2, 3, 4, 5, 6)'),
    additions: repeatExpression('i + i + i + i + i + i'),
    comparisons: repeatExpression('1 < 2 < 3 < 4 < 5'),
    conditions: repeatExpression('1 if i else 2 if i else 3'),
    'lists of constants': repeatExpression('[1, 2, 3, 4, 5, 6, 7, 8]'),
    'dicts of constants': repeatExpression("{'a': 1, 'b': 2, 'c': 3, 'd': 4}"),
    'attributes that are missing': repeatExpression('alert.nothing'),
    'attributes of the alert': repeatExpression('alert.id'),
    'unsafe attributes': repeatExpression("''.__class__"),
    'with blocks': (size) => `{% for i in range(${size}) %}{% with a = 1 %}{% endwith %}{% endfor %}`,
    'conditions as statements': (size) => `{% for i in range(${size}) %}{% if i %}{% endif %}{% endfor %}`,
    'autoescape blocks': (size) =>
      `{% for i in range(${size}) %}{% autoescape true %}{{ '<' }}{% endautoescape %}{% endfor %}`,
    'namespace that counts': (size) =>
      `{% set ns = namespace(n=0) %}{% for i in range(${size}) %}{% set ns.n = ns.n + 1 %}{% endfor %}`,
  };
}

function sequences(): Record<string, SizedTemplate> {
  return {
    'sorted numbers': (size) => `{{ (range(${size})|list)|sort(reverse=true)|length }}`,
    'sorted mixed texts': (size) => `{{ (range(${size})|map('string')|list)|sort|length }}`,
    'texts sorted by two attributes': (size) => `{{ ([alert] * ${size})|sort(attribute='id,bound')|length }}`,
    'long keys of one case': (size) => `{{ (['A' * 3000] * ${size})|sort|length }}`,
    'sorting again and again': repeatExpression('l|sort', '{% set l = range(50)|list %}'),
    'sorting in place': repeatExpression('l.sort(reverse=i)', '{% set l = range(50)|list %}'),
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
    'an attribute of many parts': repeatExpression('[]|sort(attribute=s)', "{% set s = ',' * 1000 %}"),
    'arguments for each item': (size) => `{{ range(200)|map('map', *range(${size}))|list|length }}`,
    batches: (size) => `{{ range(${size})|batch(2)|list|length }}`,
    'filled batches': (size) => `{{ range(${size})|batch(3, 0)|list|length }}`,
    'slices of a list': (size) => `{{ range(${size})|slice(${size})|list|length }}`,
    'joined numbers': (size) => `{{ range(${size})|join(',')|length }}`,
    'joined attributes': (size) => `{{ ([alert] * ${size})|join(',', attribute='id')|length }}`,
    'last of a range': repeatExpression('r|last', '{% set r = range(100) %}'),
    'last of long text': repeatExpression('s|last', "{% set s = 'é' * 100 %}"),
    'reversed range': (size) => `{{ range(${size})|reverse|list|length }}`,
    'list that is repeated': (size) => `{{ ([0] * ${size})|length }}`,
    'list that is sliced': repeatExpression('l[::-1]', '{% set l = [0] * 200 %}'),
    'list that is copied': repeatExpression('l|list', '{% set l = [0] * 200 %}'),
    'list that is searched': repeatExpression('-1 in l', '{% set l = range(200)|list %}'),
    'list of texts that is searched': repeatExpression("'b' in l", "{% set l = ['a'] * 200 %}"),
    'list whose items are counted': repeatExpression("l.count('b')", "{% set l = ['a'] * 200 %}"),
    'list that grows': (size) =>
      `{% set l = [] %}{% for i in range(${size}) %}{% set _ = l.append(i) %}{% endfor %}`,
    'list that grows at its front': (size) =>
      `{% set l = [] %}{% for i in range(${size}) %}{% set _ = l.insert(0, i) %}{% endfor %}`,
    'list that shrinks from its front': (size) =>
      `{% set l = [0] * 200 %}{% for i in range(${size}) %}{% set _ = l.append(l.pop(0)) %}{% endfor %}`,
    'lists that are compared': repeatExpression(
      'a == b',
      '{% set a = [1, [2]] * 100 %}{% set b = [1, [2]] * 100 %}',
    ),
    'lists that are ordered': repeatExpression(
      'a < b',
      '{% set a = [1, [2]] * 100 %}{% set b = [1, [2]] * 100 %}',
    ),
    'tuples in tuples that are a key': (size) =>
      `{% set ns = namespace(t=(1,)) %}{% for i in range(${Math.ceil(Math.log2(size + 1))}) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}{{ {}[ns.t] }}`,
    'lists in lists that are printed': (size) =>
      `{% set ns = namespace(t=[1]) %}{% for i in range(${Math.ceil(Math.log2(size + 1))}) %}{% set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.t }}`,
    'deep lists printed prettily': (size) =>
      `{% set ns = namespace(t=[]) %}{% for i in range(${Math.min(size, 300)}) %}{% set ns.t = [ns.t, 'aaaaaaaa'] %}{% endfor %}{{ ns.t|pprint }}`,
    'names to unpack': (size) =>
      `{% for ${numberedCopies('#,', 500)}z in [range(501)] * ${size} %}{% endfor %}`,
    'two names to unpack': (size) => `{% for a, b in [[1, 2]] * ${size} %}{% endfor %}`,
  };
}

function dictionaries(): Record<string, SizedTemplate> {
  const d = '{% set d = dict(range(400)|map("string")|batch(2)) %}';
  return {
    'dict of texts': (size) => `{{ dict(range(${size})|map('string')|batch(2))|length }}`,
    'dict from keys': (size) => `{{ {}.fromkeys(range(${size}))|length }}`,
    'dict that is copied': repeatExpression('d.copy()', d),
    'dict that is built by names': repeatExpression('dict(**d)', d),
    'dict that is updated': repeatExpression('d.update(d)', d),
    'dict that is sorted': repeatExpression('d|dictsort', d),
    'dict that loses its last item': repeatExpression('d.update(x=1) or d.popitem()', d),
    'dict that is read': repeatExpression("d.get('8')", d),
    'dict that is tested for a key': repeatExpression("'8' in d", d),
    'dict whose items are listed': repeatExpression('d.items()|list', d),
    'keys that are compared': repeatExpression('d.keys() <= e.keys()', `${d}{% set e = d.copy() %}`),
    'dicts that are equal': repeatExpression('d == e', `${d}{% set e = d.copy() %}`),
    'dict as JSON': repeatExpression('d|tojson', d),
    'dict printed prettily': repeatExpression('d|pprint', d),
    'dict as text': repeatExpression('d|string', d),
    'dict as attributes': repeatExpression('d|xmlattr', "{% set d = {}.fromkeys('abcdefghij', 'x') %}"),
    'dict with one long value as attributes': (size) =>
      `{% set d = {}.fromkeys(range(20)|map('string'), 'a' * ${size}) %}{{ d|xmlattr|length }}`,
    'dict for an address': repeatExpression('d|urlencode', d),
    'wide indent of lines': (size) => `{{ {'a' * ${size}: ['b' * 90] * 20}|pprint|length }}`,
    'names for each item': (size) => `${d}{{ (['a'] * ${size})|map('format', **d)|list|length }}`,
  };
}

function names(): Record<string, SizedTemplate> {
  return {
    'names that a loop does not use': (size) =>
      `{% for i in range(${size}) %}{% if false %}${numberedCopies('{{ # }}', 5_000)}{% endif %}{% endfor %}`,
    'fifteen names that a loop does not use': (size) =>
      `{% for i in range(${size}) %}{% if false %}${numberedCopies('{{ # }}', 15)}{% endif %}{% endfor %}`,
    'variables of the alert in a loop': (size) =>
      `{% for i in range(${size}) %}{% if false %}{{ alert_rule_name }}{{ model_name }}{{ metric_value }}{{ threshold }}{{ bound }}{{ alert_id }}{{ fired_at }}{{ workspace_id }}{{ alert }}{{ model }}{{ alert_rule }}{% endif %}{% endfor %}`,
    'branches next to many names': (size) =>
      `${numberedCopies('{%set #=1%}', 900)}{% for i in range(${size}) %}{%if 1%}{%endif%}{% endfor %}`,
    'branches that set a name each': (size) =>
      `{% for i in range(${size}) %}{%if 0%}${numberedCopies('{%elif 0%}{%set #=1%}', 1_000)}{%endif%}{% endfor %}`,
    'names that a scoped block sees': (size) =>
      `${numberedCopies('{% set # = 1 %}', 1_000)}{% for i in range(${size}) %}{% block b scoped %}{% endblock %}{% endfor %}`,
    blocks: (size) => `{% for i in range(${size}) %}{{ self.b() }}{% endfor %}{% block b %}{% endblock %}`,
    'names at the top': (size) => `${numberedCopies('{%set #=1%}', Math.min(size, 4_000))}`,
    'undefined names': repeatExpression('nothing'),
    'names inside nested scoped blocks': (size) =>
      nestedBlocks(
        45,
        `{% for i in range(${size}) %}{% if false %}${numberedCopies('{{ # }}', 15)}{% endif %}{% endfor %}`,
      ),
    'undefined names that are printed': (size) => `{% for i in range(${size}) %}{{ nothing }}{% endfor %}`,
  };
}

function calls(): Record<string, SizedTemplate> {
  return {
    'empty macro': repeatExpression('m()', '{% macro m() %}{% endmacro %}'),
    'macro with arguments': repeatExpression(
      'm(1, 2, c=3)',
      '{% macro m(a, b, c=1, d=2) %}{{ a }}{% endmacro %}',
    ),
    'parameters that are not given': repeatExpression(
      'm()',
      `{% macro m(${numberedCopies('#,', 2_000)}z) %}{% endmacro %}`,
    ),
    'macro that reads all its arguments': repeatExpression(
      'm(1, 2, a=3)',
      '{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}',
    ),
    'call blocks': (size) =>
      `{% macro m() %}{{ caller() }}{% endmacro %}{% for i in range(${size}) %}{% call m() %}a{% endcall %}{% endfor %}`,
    recursion: repeatExpression('m(50)', '{% macro m(n) %}{{ m(n - 1) if n }}{% endmacro %}'),
    methods: repeatExpression("'a'.upper().lower()"),
    filters: repeatExpression("'a'|upper|lower"),
    'filters with names': repeatExpression("'a'|replace(old='b', new='c')"),
    tests: repeatExpression('1 is divisibleby(num=3)'),
    cycler: repeatExpression('c.next()', '{% set c = cycler(1, 2) %}'),
    joiner: repeatExpression('j()', '{% set j = joiner() %}'),
    namespaces: repeatExpression('namespace(a=1, b=2)'),
    'spread arguments': repeatExpression('cycler(*l)', '{% set l = [1] * 50 %}'),
    ranges: repeatExpression('range(1, 9, 2)'),
    'rounding of undefined values': repeatExpression('nothing|round'),
    defaults: repeatExpression("nothing|default('a')"),
    'map over one item': repeatExpression("[1]|map('string')|list"),
    'list from a generator in a generator': repeatExpression("([1]|map('string')|map('upper'))|first"),
  };
}

function nestedBlocks(depth: number, inside: string): string {
  if (depth === 0) return inside;
  const inner = nestedBlocks(depth - 1, inside);
  return `{% for v${depth} in [1] %}{% block b${depth} scoped %}${inner}{% endblock %}{% endfor %}`;
}
