import { createCaseRunner } from '../tools/cases/case-runner.js';
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

const run = createCaseRunner();

test('all shared test cases render as in Jinja2, except for the listed differences', () => {
  const differences = readCases().filter((expected) => !agreesWithJinja2(expected, run(expected.line)));
  expect(new Set(differences.map((difference) => difference.template))).toEqual(
    new Set(knownDifferences.keys()),
  );
});

test('no known difference from Jinja2 is in a case that is common in webhook bodies', () => {
  const tiers = readCases().filter((expected) => knownDifferences.has(expected.template));
  expect(tiers.filter((expected) => expected.tier === 1)).toEqual([]);
});
