import { createCaseRunner } from '../tools/cases/case-runner.js';
import { agreesWithJinja2, readCases } from '../tools/cases/read-cases.js';

/** Templates with another result than in Jinja2, with the reason. */
const knownDifferences: ReadonlyMap<string, string> = new Map([
  ["{% include ['a', 'b'] %}", 'there is no loader, which is said when compiling'],
  ['[{{ nope|random }}]', 'a body renders the same each time it is tried'],
  ["{{ '\\N{BULLET}' }}", 'the names of all characters are too many to carry'],
  ["{{ 'x'.encode() }}", 'there are no bytes'],
  ["{{ s.maketrans('a', 'b') }}", 'a table for a method that is not here'],
  [
    "{{ ['\u0378', '\ud83e\udee8', '\u20bf', '\ud83e\uddff'] }}",
    'printable depends on the version of Unicode',
  ],
]);

const run = createCaseRunner();

test('every case renders as in Jinja2, except for the listed differences', () => {
  const differences = readCases().filter((expected) => !agreesWithJinja2(expected, run(expected.line)));
  expect(new Set(differences.map((difference) => difference.template))).toEqual(
    new Set(knownDifferences.keys()),
  );
});

test('no listed difference is common in webhook bodies', () => {
  const tiers = readCases().filter((expected) => knownDifferences.has(expected.template));
  expect(tiers.filter((expected) => expected.tier === 1)).toEqual([]);
});
