import type { JsonProblem } from './json-scanner.js';

/** What is wrong, and what to write instead, for people. */
export const jsonProblems: Readonly<Record<JsonProblem, string>> = {
  'value expected': 'a value is expected here',
  'comma expected': 'a comma or a closing bracket is expected here',
  'colon expected': 'a colon is expected here',
  'key expected': 'a key in double quotes is expected here',
  'comma before a closing bracket': 'a comma stands before a closing bracket; take it away',
  'control character in a string': 'a line break or tab stands inside a string; write \\n or \\t',
  'invalid escape in a string':
    'a backslash in a string must begin an escape such as \\n or \\"; write \\\\ for a backslash',
  'string without end': 'the string that begins here is never closed',
  'invalid number': 'this is not a number that JSON knows',
  'text behind the value': 'the JSON value has ended here, but more text follows',
  'unexpected end': 'the result ends here, but something is still open or missing',
  'nested too deeply': 'the result is nested too deeply',
};
