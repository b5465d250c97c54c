import { readFileSync } from 'node:fs';
import { publishAlertSchema } from './alert.js';
import { alertFiredProperties, alertFiredSchema } from './alert-fired.js';
import { deadLetterReasons } from './vocabulary.js';

const page = readFileSync(new URL('../../../docs/publish.md', import.meta.url), 'utf8');
const rows = new Map(
  [...page.matchAll(/^\| `(\w+)` \| (.+?) \| (\w+) \| (\w+) \| (.+) \|$/gm)].map(
    ([, name = '', , amqp, rest]) => [name, { amqp, rest }],
  ),
);

test('docs/publish.md lists each field of an alert, and whether AMQP and REST require it', () => {
  const wordOf = (required: readonly string[], name: string) =>
    required.includes(name) ? 'required' : 'optional';
  const expected = Object.keys(alertFiredProperties).map((name) => [
    name,
    { amqp: wordOf(alertFiredSchema.required, name), rest: wordOf(publishAlertSchema.required, name) },
  ]);
  expect([...rows]).toEqual(expected);
});

test('docs/publish.md lists every reason of a dead letter', () => {
  for (const reason of deadLetterReasons) expect(page).toContain(`| \`${reason}\` |`);
});
