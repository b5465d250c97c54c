import { createCapturedCaseRunner, createCaseRunner } from '../tools/cases/case-runner.js';
import { agreesWithJinja2, readCases } from '../tools/cases/read-cases.js';

/** Templates whose result differs from that of Jinja2, each with the reason. */
const knownDifferences: ReadonlyMap<string, string> = new Map([
  ["{% include ['a', 'b'] %}", 'there is no loader, and the error is raised at compile time'],
  ["{{ '\\N{BULLET}' }}", 'the table of character names would be too large'],
  ["{{ 'x'.encode() }}", 'bytes are not supported'],
  ["{{ s.maketrans('a', 'b') }}", 'str.translate is not supported'],
  [
    "{{ ['\u0378', '\ud83e\udee8', '\u20bf', '\ud83e\uddff'] }}",
    'printable characters depend on the version of Unicode',
  ],
]);

/** Templates whose result differs if they are captured in a template for JSON, each with the reason. */
const capturedDifferences: ReadonlyMap<string, string> = new Map([
  ['{', 'the bracket and the tag after it become another tag'],
  ['{% set s = 1 %}{% block b %}[{{ s }}]{% endblock %}', 'a block cannot read names of a set block'],
  ['{{ h|safe|e }}', '`safe` is about JSON, so its text is escaped for HTML'],
  ['{{ h|safe is escaped }}', '`safe` is about JSON, so its captured text stays a text'],
  ["{{ ('a<'|safe).join(['<', '>']) }}", '`safe` is about JSON, so parts are not escaped for HTML'],
  ["{{ ('<'|safe).replace('<', '>') }} {{ ('<'|safe)|replace('<', '<<') }}", 'as for `join`'],
  ["{{ s|tojson ~ '<' }} {{ s|tojson + '<' }}", 'as for `join`'],
]);

const run = createCaseRunner();
const runCaptured = createCapturedCaseRunner();

test('all shared test cases render as in Jinja2, except for the listed differences', () => {
  const differences = readCases().filter((expected) => !agreesWithJinja2(expected, run(expected.line)));
  expect(new Set(differences.map((difference) => difference.template))).toEqual(
    new Set(knownDifferences.keys()),
  );
});

test('all shared cases on captured text render as in Jinja2, except for the listed differences', () => {
  const differences = readCases().filter(
    (expected) => !agreesWithJinja2(expected, runCaptured(expected.line)),
  );
  expect(new Set(differences.map((difference) => difference.template))).toEqual(
    new Set([...knownDifferences.keys(), ...capturedDifferences.keys()]),
  );
});

test('no known difference from Jinja2 is in a case that is common in webhook bodies', () => {
  const tiers = readCases().filter((expected) => knownDifferences.has(expected.template));
  expect(tiers.filter((expected) => expected.tier === 1)).toEqual([]);
});
