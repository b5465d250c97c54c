import { alertContext, createBodyCompiler, sampleFacts, type TemplateError } from '../src/index.js';

/** With a wall-clock limit of 60 s, only the deterministic budget ends a rendering. */
const compile = createBodyCompiler({ limits: { wallClockMs: 60_000 } });
const context = alertContext(sampleFacts);

function run(source: string): { output: string } | { error: TemplateError } {
  const compiled = compile(source);
  if (!compiled.ok) return { error: compiled.error };
  const result = compiled.template.render(context);
  return result.ok ? { output: result.output } : { error: result.error };
}

const dag =
  '{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}';
const deep =
  '{% set ns = namespace(a=[], b=[]) %}{% for i in range(9000) %}{% set ns.a = [ns.a] %}{% set ns.b = [ns.b] %}{% endfor %}';
const pairs = '{% set d = dict(range(60000)|map("string")|batch(2)) %}';

const exhausting: Readonly<Record<string, string>> = {
  'nested loops': '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
  'a loop over a list that grows meanwhile':
    '{% set l = [1] %}{% for x in l %}{% set _ = l.append(1) %}{% endfor %}',
  'a repeated string': '{{ "a" * 999999999999 }}',
  'a doubled string':
    '{% set ns = namespace(s="aaaaaaaa") %}{% for i in range(100) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}',
  'a string grown bit by bit':
    '{% set ns = namespace(s="") %}{% for i in range(100000) %}{% set ns.s = ns.s ~ "abcdefghij" %}{% endfor %}',
  'a doubled list':
    '{% set ns = namespace(l=[1]) %}{% for i in range(100) %}{% set ns.l = ns.l + ns.l %}{% endfor %}',
  'a repeated list': '{{ [0] * 100000000000 }}',
  'a large power': '{{ 9 ** 99999 }}',
  'a squared integer':
    '{% set ns = namespace(x=3) %}{% for i in range(1000) %}{% set ns.x = ns.x * ns.x %}{% endfor %}',
  'a long hexadecimal integer': '{{ ("f" * 1233)|int(0, 16) }}',
  'a wide percent format': '{{ "%999999999d" % 1 }}',
  'a precise percent format': '{{ "%.999999999f" % 1.5 }}',
  'a wide format': '{{ "{:>999999999}".format(1) }}',
  'a precise format': '{{ "{:.99999999f}".format(1.5) }}',
  'a format of many fields': '{{ ("{}" * 100000).format(*range(100000)) }}',
  'a wide centre': '{{ "a"|center(1000000000) }}',
  'a deep indent': '{{ "a\nb"|indent(1000000000) }}',
  'zeros in front': '{{ "a".zfill(999999999) }}',
  'wide tabs': '{{ ("\\t" * 100000).expandtabs(1000000) }}',
  'a replacement that multiplies the text': '{{ ("a" * 900000)|replace("a", "b" * 900000) }}',
  'a long separator': '{{ range(100000)|join("x" * 500000) }}',
  'an indent of JSON': '{{ range(1000)|list|tojson(3000) }}',
  'endless recursion': '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
  'branching recursion':
    '{% macro m(n) %}{% if n > 0 %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}',
  'recursion of a loop': '{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}',
  'a nested tuple that is hashed':
    '{% set ns = namespace(t=(1,)) %}{% for i in range(60) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}{{ {ns.t: 1} }}',
  'nested lists that are equal': `${dag}{{ ns.a == ns.b }}`,
  'nested lists that are ordered': `${dag}{{ ns.a < ns.b }}`,
  'nested lists that are printed': `${dag}{{ ns.a }}`,
  'nested lists as JSON': `${dag}{{ ns.a|tojson }}`,
  'nested lists printed prettily': `${dag}{{ ns.a|pprint }}`,
  'deep lists that are printed': `${deep}{{ ns.a }}`,
  'deep lists that are equal': `${deep}{{ ns.a == ns.b }}`,
  'deep lists as JSON': `${deep}{{ ns.a|tojson }}`,
  'deep lists printed prettily': `${deep}{{ ns.a|pprint }}`,
  'a comparison of two lists that contain themselves':
    '{% set l = [] %}{% set _ = l.append(l) %}{% set m = [] %}{% set _ = m.append(m) %}{{ l == m }}',
  'sorting again and again':
    '{% set l = range(50000)|list %}{% for i in range(100) %}{{ l|sort|first }}{% endfor %}',
  'a slice of very many': '{{ [1]|slice(100000000)|list }}',
  'a filled batch': '{{ [1]|batch(100000000, "x")|list }}',
  'searching a list again and again':
    '{% set l = range(50000)|list %}{% for i in range(100000) %}{{ -1 in l }}{% endfor %}',
  'searching a string again and again':
    '{% set l = "ab" * 200000 %}{% for i in range(100000) %}{{ "b" * 100000 in l }}{% endfor %}',
  'comparing long strings':
    '{% set a = "a" * 500000 %}{% set b = a ~ "b" %}{% for i in range(100000) %}{{ b == a ~ "c" }}{% endfor %}',
  'counting emoji': '{% set s = "😀" * 100000 %}{% for i in range(100000) %}{{ s|length }}{% endfor %}',
  'indexing emoji': '{% set s = "é😀" * 50000 %}{% for i in range(50000) %}{{ s[i] }}{% endfor %}',
  'copying a dict': `${pairs}{% for i in range(10000) %}{% set _ = d.copy() %}{% endfor %}`,
  'popping items': `${pairs}{% for i in range(30000) %}{% set _ = d.popitem() %}{% endfor %}`,
  'inserting at the front':
    '{% set l = range(50000)|list %}{% for i in range(10000) %}{% set _ = l.insert(0, 1) %}{% endfor %}',
  'printing without end':
    '{% for i in range(100000) %}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{% endfor %}',
  'capturing without end':
    '{% set x %}{% for i in range(100000) %}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{% endfor %}{% endset %}',
  'words to wrap': '{{ ("a " * 400000)|wordwrap(1) }}',
  'addresses to link': '{{ ("http://a.b/ " * 70000)|urlize }}',
  'brackets to link': '{{ ("(" * 900000)|urlize }}',
  'tags without end to strip': '{{ ("<" * 900000)|striptags }}',
  'text to encode': '{{ ("é" * 300000)|urlencode }}',
  'a title of each word': '{{ ("a " * 400000).title() }}',
  'lines to indent': '{{ ("\\n" * 490000)|indent(0)|length }}',
  'text to encode as JSON': '{{ ("é" * 900000)|tojson|length }}',
  'brackets to encode as JSON': '{{ ("<" * 900000)|tojson|length }}',
  'control characters to escape': '{{ "\\x01" * 200000 }}',
};

test.each(Object.entries(exhausting))(
  'a template with %s exceeds the budget, and each rendering fails with the same error',
  (_, source) => {
    const first = run(source);
    expect(first).toMatchObject({ error: { kind: 'template_error', type: 'BudgetExceeded' } });
    expect(run(source)).toEqual(first);
  },
);

const overflowing: Readonly<Record<string, string>> = {
  parentheses: `{{ ${'('.repeat(30_000)}1${')'.repeat(30_000)} }}`,
  brackets: `{{ ${'['.repeat(60_000)} }}`,
  sums: `{{ 1${' + 1'.repeat(16_000)} }}`,
  attributes: `{{ a${'.a'.repeat(30_000)} }}`,
  filters: `{{ 'a'${'|upper'.repeat(9_000)} }}`,
  negations: `{{ ${'not '.repeat(16_000)}1 }}`,
  signs: `{{ ${'-'.repeat(60_000)}1 }}`,
  conditions: `{{ 1${' if 1 else 1'.repeat(5_000)} }}`,
  tags: '{% if 1 %}'.repeat(6_000),
  'openings of print tags': '{{'.repeat(30_000),
  'openings of statement tags': '{%'.repeat(30_000),
  'openings of comments': '{#'.repeat(30_000),
  backslashes: `{{ '${'\\'.repeat(60_000)}`,
  'endings of raw blocks': `{% raw %}${'{% endraw'.repeat(7_000)}`,
  digits: `{{ ${'1_'.repeat(30_000)} }}`,
  characters: 'a'.repeat(65_537),
};

test.each(Object.entries(overflowing))('a template with too many %s fails to compile', (_, source) => {
  expect(run(source)).toMatchObject({ error: { phase: 'compile' } });
});

const code = 'globalThis.pwned = true';
const escaping = [
  `{{ "".constructor.constructor("${code}")() }}`,
  `{{ range.constructor("${code}")() }}`,
  `{{ [].map.constructor("${code}")() }}`,
  `{{ ({}).constructor.constructor("${code}")() }}`,
  `{{ cycler("a").next.constructor("${code}")() }}`,
  `{{ ""|attr("constructor")|attr("constructor") }}`,
  `{{ alert["constructor"]["constructor"]("${code}")() }}`,
  `{{ alert.__proto__.polluted }}`,
  `{% set ns = namespace() %}{% set ns.__proto__ = {"polluted": 1} %}{{ ns.x }}`,
  `{% set _ = alert.update({"__proto__": {"polluted": 1}}) %}{{ {}.polluted }}`,
  `{{ dict(__proto__={"polluted": 1}).polluted }}`,
  `{{ [alert]|map(attribute="constructor.prototype")|list }}`,
  `{{ [alert]|groupby("constructor") }}`,
  `{{ "{0.constructor.constructor}".format("") }}`,
  `{{ "{0[constructor]}".format(alert) }}`,
  `{{ "%(constructor)s" % alert }}`,
  `{{ "a"|map("constructor")|list }}`,
  `{{ "a" is constructor }}`,
  `{{ "a"|constructor }}`,
  `{{ ["a"]|select("__proto__")|list }}`,
  `{{ self.constructor }}{{ loop }}`,
  `{{ self.__init__.__globals__ }}`,
  `{{ "".__class__.__mro__[1].__subclasses__() }}`,
  `{{ cycler.__init__.__globals__.os.popen("id").read() }}`,
  `{{ process.env }}{{ globalThis }}{{ require("fs") }}{{ env }}{{ runtime }}{{ frame }}{{ context }}{{ lookup }}{{ call }}`,
  `{{ (1).toString.constructor }}`,
  `{{ true.constructor }}`,
  `{{ none.constructor }}`,
  `{% macro constructor() %}{% endmacro %}{{ constructor.constructor("${code}") }}`,
  `{% block constructor %}{% endblock %}{{ self.constructor.constructor("${code}") }}`,
  `{% block __proto__ %}{% endblock %}{{ self.__proto__() }}`,
  `{{ "\`\${${code}}\`" }}`,
  `{{ '"); ${code}; //' }}`,
  `{{ x|default('"); ${code}; //') }}`,
  `{% set x = "]); ${code}; //" %}{{ x }}`,
];

test.each(escaping)('the template %s cannot read or run anything outside of its context', (source) => {
  const result = run(source);
  const printed = 'output' in result ? result.output : '';
  expect(printed).not.toMatch(/function|native code|\[object|process|PATH=/);
  expect(Reflect.get(globalThis, 'pwned')).toBeUndefined();
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

test('a rendering does not change the values that the caller passes', () => {
  const source = '{% set _ = alert.update({"x": 1}) %}{% set _ = alert.pop("id") %}{{ alert|length }}';
  expect([run(source), run(source)]).toEqual([{ output: '6' }, { output: '6' }]);
});
