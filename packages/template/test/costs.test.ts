import { cpuUsage } from 'node:process';
import { alertContext, createBodyCompiler, sampleFacts } from '../src/index.js';

/** Long enough that only the budgets can end a rendering. */
const compile = createBodyCompiler({ limits: { outputLength: 262_144, wallClockMs: 600_000 } });
const context = alertContext(sampleFacts);

/** Milliseconds of this process's CPU to compile and render it, and how that ended. */
function measure(source: string): { spentMs: number; outcome: string } {
  const before = cpuUsage();
  const compiled = compile(source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  const result = compiled.template.render(context);
  const { user, system } = cpuUsage(before);
  return { spentMs: (user + system) / 1_000, outcome: result.ok ? 'answered' : result.error.message };
}

const again = (body: string, times = 50_000) =>
  `{% for i in range(${times}) %}{% set _ = ${body} %}{% endfor %}`;
const names = (each: string, count: number) =>
  Array.from({ length: count }, (_, index) => each.replace('#', `a${index}`)).join('');
const long = "{% set s = 'a' * 900000 %}";
const big = '{% set big = 9 ** 1290 %}';
const calls = '{% set d = dict(range(8000)|map("string")|batch(2)) %}';

/** What once cost more than its steps said: more than linear work, or work that was not counted. */
const hostile: Readonly<Record<string, string>> = {
  'a word broken at each character': "{{ ('x' * 80000)|wordwrap(1)|length }}",
  'hyphens that are no dash': "{{ ('-' * 90000)|wordwrap|length }}",
  'a search from the right': "{{ ('a' * 900000).rfind('a' * 400000 ~ 'b') }}",
  'a search from the left': "{{ ('a' * 900000).find('a' * 20 ~ 'b' ~ 'a' * 400000) }}",
  'a search by in': "{{ 'a' * 20 ~ 'b' ~ 'a' * 400000 in 'a' * 900000 }}",
  'a partition from the right': "{{ ('a' * 900000).rpartition('a' * 400000 ~ 'b')|length }}",
  'a split from the right': again("('a' * 90000).rsplit('a' * 45000 ~ 'b')"),
  'a split from the left': again("('a' * 90000).split('a' * 20 ~ 'b' ~ 'a' * 45000)"),
  'a count': "{{ ('a' * 900000).count('a' * 20 ~ 'b' ~ 'a' * 400000) }}",
  'a replacement': "{{ ('a' * 500000)|replace('a' * 20 ~ 'b' ~ 'a' * 200000, '')|length }}",
  'partitions of a long text': long + again("s.rpartition('a' * 15 ~ 'b')"),
  'prefixes that nearly fit':
    "{% set s = 'a' * 300000 %}{% set t = (s ~ 'b',) * 50000 %}{{ (s ~ 'c').startswith(t) }}",
  'prefixes that are taken off': long + again('s.removeprefix(s)'),
  'long sets of characters to strip': long + again("'b'.strip(s)"),
  'long sets of characters to trim': long + again("'b'|trim(s)"),
  'characters of a long text': `{% set s = 'é\\u2003' * 400000 %}${again('s[0]')}`,
  'slices of a long text': `{% set s = 'é\\u2003' * 400000 %}${again('s[:1]')}`,
  'short text before long text': `{% set s = 'é\\u2003' * 400000 %}${again("'a' < s")}`,
  'captured text that is compared':
    "{% set s %}{% for i in range(4000) %}{{ '\\n' * 9 }}\n\n\n\n\n{% endfor %}{% endset %}" +
    again("s == 'a'"),
  'long keys of one case': "{{ (['A' * 900000] * 20000)|sort|length }}",
  'a long attribute': "{{ ([1] * 10000)|map(attribute='real' ~ '.real' * 20000)|list|length }}",
  'an attribute of very many parts': `{% set s = ',' * 900000 %}${again('[]|sort(attribute=s)')}`,
  'arguments for each item': '{{ range(60000)|map("map", *range(90000))|list|length }}',
  'names for each item': `${calls}{{ (['a'] * 50000)|map('format', **d)|list|length }}`,
  'names for each call': calls + again('dict(**d)'),
  'keys that are compared': `${calls}{% set e = d.copy() %}${again('d.keys() <= e.keys()')}`,
  'tuples in tuples that are no key':
    '{% set ns = namespace(t=(1,)) %}{% for i in range(60) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}{{ {}[ns.t] }}',
  'integers that share their lowest bits': '{{ range(0, 90000 * 2 ** 64, 2 ** 64)|unique|list|length }}',
  'long integers that are printed': `${big}{{ [big] * 90000 }}`,
  'long integers as JSON': `${big}{{ ([big] * 90000)|tojson }}`,
  'long integers that are rounded': `${big}{{ ([big] * 60000)|map('round', -9)|list|length }}`,
  'a long tuple of long integers': `${big}{{ {}[(big,) * 50000] }}`,
  'digits of another script': `{% set s = '\\u0663' * 500000 %}${again('s|int + s|float')}`,
  'digits in another base': "{{ (['z' * 1233] * 60000)|map('int', 0, 36)|list|length }}",
  'a wide number in groups': "{{ '{:0=490000,}'.format(1)|length }}",
  'brackets behind an address': "{{ ('a' ~ '(' * 40000 ~ ')' * 40000)|urlize|length }}",
  'schemes for each word': "{{ ('a ' * 20000)|urlize(extra_schemes=['ftp:'] * 30000)|length }}",
  'a long target for each link': "{{ ('http://a.bc/ ' * 9000)|urlize(target='a' * 900000)|length }}",
  'a relation of very many words': `{% set s = 'a ' * 45000 %}${again("''|urlize(rel=s)")}`,
  'attributes with one long value':
    "{% set d = {}.fromkeys(range(40000)|map('string'), 'a' * 900000) %}{{ d|xmlattr|length }}",
  'a wide indent of lines': "{{ {'a' * 300000: ['b' * 90] * 2000}|pprint|length }}",
  'names that a loop does not use': `{% for i in range(90000) %}{% if false %}${names('{{ # }}', 5_000)}{% endif %}{% endfor %}`,
  'bits to count': big + again('big.bit_count()'),
  'branches beside very many names': names('{%set #=1%}', 1_800) + '{%if 1%}{%endif%}'.repeat(2_100),
  'branches that set a name each': `{%if 1%}${names('{%elif 1%}{%set #=1%}', 2_200)}{%endif%}`,
  'names that a scoped block sees': `${names('{% set # = 1 %}', 3_000)}{% for i in range(90000) %}{% block b scoped %}{% endblock %}{% endfor %}`,
  'parameters that are not given': `{% macro m(${names('#,', 9_000)}z) %}{% endmacro %}${again('m()')}`,
  'names to unpack': `{% for ${names('#,', 9_000)}z in [range(9001)] * 50000 %}{% endfor %}`,
  'steps of a range that grow':
    '{% set ns = namespace(r=range(1)) %}{% for i in range(90000) %}{% set ns.r = ns.r[::10 ** 15] %}{% endfor %}',
};

/** The dearest of them takes three to four times as long as the loop; without their mends they take minutes, or for ever. */
const maxRatio = 12;
let plainMs: number;

beforeAll(() => {
  const loop = '{% for i in range(90000) %}{{ i }}{% endfor %}';
  plainMs = Math.max(...[1, 2, 3].map(() => measure(loop).spentMs));
});

test.each(Object.entries(hostile))('%s costs about what its steps say', (_, source) => {
  const { spentMs, outcome } = measure(source);
  // A RangeError of the engine's, for a string that is too long, would say that it is nested too deeply.
  expect(outcome).toMatch(/^answered$|^the template does too much: (?!it is nested)/);
  expect(spentMs / plainMs).toBeLessThan(maxRatio);
});
