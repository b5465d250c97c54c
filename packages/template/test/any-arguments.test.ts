import { templateNames } from '../src/template-names.js';
import { compilePlain } from './support/compilers.js';

const values = [
  'none',
  'missing',
  'true',
  '-1',
  '2.5',
  "'text'",
  "'<b>' | safe",
  '[1, none]',
  "{'a': 1}",
  'range(3)',
  "[1] | map('list')",
];
const operands = values.map((value) => `(${value})`);
/** Lists of arguments in which each value is the only, the second and the third argument. */
const argumentLists = [
  '',
  ...values,
  ...values.map((value) => `1, ${value}`),
  ...values.map((value) => `1, true, ${value}`),
];

const methods = `
  append as_integer_ratio bit_length capitalize casefold center clear conjugate copy count encode endswith expandtabs
  extend find format format_map get hex index insert is_integer isalnum isalpha isascii isdecimal isdigit isidentifier
  islower isnumeric isprintable isspace istitle isupper items join keys ljust lower lstrip partition pop popitem remove
  removeprefix removesuffix replace reverse rfind rindex rjust rpartition rsplit rstrip setdefault sort split splitlines
  startswith strip swapcase title translate update upper values zfill`
  .trim()
  .split(/\s+/);

const { filters, tests, functions } = templateNames();
const uses: [string, string[]][] = [
  ...filters.map((name): [string, string[]] => [
    `the filter ${name}`,
    operands.flatMap((operand) => argumentLists.map((list) => `${operand} | ${name}(${list})`)),
  ]),
  ...tests.map((name): [string, string[]] => [
    `the test ${name}`,
    operands.flatMap((operand) => argumentLists.map((list) => `${operand} is ${name}(${list})`)),
  ]),
  ...functions.map((name): [string, string[]] => [
    `the function ${name}`,
    argumentLists.map((list) => `${name}(${list})`),
  ]),
  ...methods.map((name): [string, string[]] => [
    `the method ${name}`,
    operands.flatMap((operand) => argumentLists.map((list) => `${operand}.${name}(${list})`)),
  ]),
];

// Any other exception would be a response with status 500, or a delivery that never ends.
test.each(uses)(
  '%s renders or fails with an error of the template, whatever its arguments are',
  (_, expressions) => {
    for (const expression of expressions) {
      const compiled = compilePlain(`{{ ${expression} }}`);
      if (!compiled.ok) continue;
      try {
        compiled.template.render(new Map());
      } catch (cause) {
        throw new Error(`{{ ${expression} }} threw an exception.`, { cause });
      }
    }
  },
);
